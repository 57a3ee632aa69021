#include "analysis/kernels/kernel_class.h"

#include <re2/re2.h>

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/kernels/collective_kind.h"
#include "analysis/kernels/kernel_patterns.h"
#include "base/text.h"

namespace warpsight {
namespace {

// RE2 uses its own string type in older releases and absl::string_view in newer ones; both have
// this constructor.
re2::StringPiece Piece(std::string_view text) { return re2::StringPiece(text.data(), text.size()); }

std::string_view WithoutPrefix(std::string_view text, std::string_view prefix) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

// How demanglers write an anonymous namespace: the only place where '(' or '<' is part of a
// function's qualified name.
constexpr std::string_view kAnonymousNamespaces[] = {"(anonymous namespace)", "<unnamed>"};

// Removes `void ` or, for a kernel template constrained by its return type,
// `std::enable_if<…>::type `.
std::string_view WithoutReturnType(std::string_view name) {
  name = WithoutPrefix(name, "void ");
  name = WithoutPrefix(name, "typename ");
  if (!name.starts_with("std::enable_if<")) return name;
  size_t end = name.find('<');
  for (int depth = 0; end < name.size(); ++end) {
    if (name[end] == '<') ++depth;
    if (name[end] == '>' && --depth == 0) break;
  }
  size_t space = name.find(' ', end);
  return space == std::string_view::npos ? name : name.substr(space + 1);
}

// The qualified function name: the part before the template arguments and the parameters.
std::string_view FunctionName(std::string_view long_name) {
  std::string_view name = WithoutReturnType(long_name);
  size_t end = 0;
  while (end < name.size()) {
    size_t skipped = 0;
    for (std::string_view anonymous : kAnonymousNamespaces) {
      if (name.substr(end).starts_with(anonymous)) skipped = anonymous.size();
    }
    if (skipped == 0 && (name[end] == '<' || name[end] == '(' || name[end] == ' ')) break;
    end += skipped == 0 ? 1 : skipped;
  }
  return name.substr(0, end);
}

std::string_view WithoutAnonymousNamespace(std::string_view function) {
  for (std::string_view anonymous : kAnonymousNamespaces) {
    if (function.starts_with(anonymous)) {
      return WithoutPrefix(function.substr(anonymous.size()), "::");
    }
  }
  return function;
}

// The pairs of consecutive characters in a name, hashed. Checking the first or last pair of a word
// rules out most words of the table, which halves the time of a classification (11 to 5 us per
// name).
class CharacterPairs {
 public:
  explicit CharacterPairs(std::string_view name) {
    for (size_t i = 1; i < name.size(); ++i) pairs_.set(Hash(name[i - 1], name[i]));
  }

  static size_t Hash(char first, char second) {
    return (static_cast<unsigned char>(first) * 33u ^ static_cast<unsigned char>(second)) % kSize;
  }

  bool Has(size_t hash) const { return pairs_[hash]; }

 private:
  static constexpr size_t kSize = 4096;
  std::bitset<kSize> pairs_;
};

// A word of the table, at least two characters long.
struct Word {
  explicit Word(std::string_view word)
      : text(word),
        first_pair(CharacterPairs::Hash(word[0], word[1])),
        last_pair(CharacterPairs::Hash(word[word.size() - 2], word[word.size() - 1])) {}

  std::string_view text;
  size_t first_pair;
  size_t last_pair;
};

// A row of the table, prepared for matching.
struct CompiledPattern {
  const KernelPattern* row;
  std::vector<Word> words;
  std::unique_ptr<const RE2> regex;  // null if the words are sufficient
};

std::vector<Word> Words(std::string_view text) {
  std::vector<Word> words;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// Never freed, since kernels may be classified while static objects are destroyed.
const std::vector<CompiledPattern>& CompiledPatterns() {
  static const auto& patterns = *[] {
    auto* compiled = new std::vector<CompiledPattern>;
    for (const KernelPattern& row : KernelPatterns()) {
      CompiledPattern pattern;
      pattern.row = &row;
      pattern.words = Words(row.words);
      if (!row.regex.empty()) pattern.regex = std::make_unique<const RE2>(Piece(row.regex));
      compiled->push_back(std::move(pattern));
    }
    return compiled;
  }();
  return patterns;
}

struct NameParts {
  std::string_view whole;
  std::string_view function;
  std::string_view start;       // `function` without a leading anonymous namespace
  std::string_view from_start;  // `whole` from `start` on
};

bool Applies(const CompiledPattern& pattern, const NameParts& name, const CharacterPairs& pairs) {
  const bool at_start = pattern.row->part == NamePart::kStart;
  const std::string_view text = pattern.row->part == NamePart::kWhole ? name.whole : name.function;
  const auto is_there = [&](const Word& word) {
    if (!pairs.Has(word.first_pair) || !pairs.Has(word.last_pair)) return false;
    return at_start ? name.start.starts_with(word.text) : Contains(text, word.text);
  };
  return std::any_of(pattern.words.begin(), pattern.words.end(), is_there) &&
         (pattern.regex == nullptr || RE2::PartialMatch(Piece(name.from_start), *pattern.regex));
}

// The number format of a type as libraries abbreviate it inside kernel names.
Precision FromTypeCode(std::string_view code) {
  if (code == "f64" || code == "double") return Precision::kFp64;
  if (code == "f32" || code == "float" || code == "fp32") return Precision::kFp32;
  if (code == "tf32") return Precision::kTf32;
  if (code == "bf16" || Contains(code, "bfloat16")) return Precision::kBf16;
  if (code == "f16" || code == "half" || code == "fp16") return Precision::kFp16;
  if (code.starts_with("e4m3") || code.starts_with("e5m2")) return Precision::kFp8;
  if (code.starts_with("fp8")) return Precision::kFp8;
  if (code.starts_with("e2m1") || code == "mxfp4") return Precision::kFp4;
  if (code == "i8" || code == "u8") return Precision::kInt8;
  return Precision::kUnknown;
}

// nvjet_sm90_tst_…: one letter per operand; the first is the type of the multiplied matrices.
Precision NvjetPrecision(std::string_view function) {
  static const RE2& types = *new RE2("^nvjet_(?:sm\\d+[a-z]?_)?([a-z])[a-z]+_");
  std::string letter;
  if (!RE2::PartialMatch(Piece(function), types, &letter)) return Precision::kUnknown;
  switch (letter[0]) {
    case 'd':
      return Precision::kFp64;
    case 's':
      return Precision::kTf32;
    case 't':
      return Precision::kBf16;
    case 'h':
      return Precision::kFp16;
    case 'q':
      return Precision::kFp8;
    case 'o':
      return Precision::kFp4;
    case 'i':
      return Precision::kInt8;
    default:
      return Precision::kUnknown;
  }
}

// …_xmma_…_<A><B>_<compute><accumulate>_<C>…: the third type is that of the multiplication. Some
// kernels omit it (…_<A><B>_<accumulate>_<C>…) and multiply in the type of A.
Precision XmmaPrecision(std::string_view function) {
  static const RE2& compute = *new RE2(
      "_c?(?:tf32|bf16|f16|f32|f64|i8|u8|e\\dm\\d)c?(?:tf32|bf16|f16|f32|f64|i8|u8|i32|e\\dm\\d)"
      "_c?(tf32|bf16|f16|f32|f64|i8|u8|e\\dm\\d)c?(?:f16|f32|f64|i32|bf16)_");
  static const RE2& operand = *new RE2(
      "_c?(tf32|bf16|f16|f32|f64|i8|u8|e\\dm\\d)c?(?:tf32|bf16|f16|f32|f64|i8|u8|i32|e\\dm\\d)_");
  std::string code;
  if (!RE2::PartialMatch(Piece(function), compute, &code) &&
      !RE2::PartialMatch(Piece(function), operand, &code)) {
    return Precision::kUnknown;
  }
  return FromTypeCode(code);
}

// Cijk_<A indices>_<B indices>_<types>_…: Tensile's letters for the data type come first.
Precision TensilePrecision(std::string_view function) {
  static const RE2& types = *new RE2("^(?:Custom_)?Cijk_A[a-z]+_B[a-z]+_([A-Z0-9]+)");
  std::string code;
  if (!RE2::PartialMatch(Piece(function), types, &code)) return Precision::kUnknown;
  if (code.starts_with("F8") || code.starts_with("B8")) return Precision::kFp8;
  if (code.starts_with("I8")) return Precision::kInt8;
  switch (code[0]) {
    case 'D':
    case 'Z':
      return Precision::kFp64;
    case 'S':
    case 'C':
      return Precision::kFp32;
    case 'B':
      return Precision::kBf16;
    case 'H':
      return Precision::kFp16;
    default:
      return Precision::kUnknown;
  }
}

// ncclDevKernel_AllReduce_Sum_bf16_RING_LL, ncclKernel_AllReduce_RING_LL_Sum_float. Collectives
// without arithmetic are compiled for bytes (Sum_int8_t), whatever their data is.
Precision NcclPrecision(std::string_view function) {
  static const RE2& types = *new RE2(
      "_(?:Sum|Prod|Max|Min|MinMax|PreMulSum|SumPostDiv|Avg)_"
      "(double|float|half|f64|f32|f16|bf16|__nv_bfloat16|hip_bfloat16)(?:_|$)");
  std::string code;
  if (!RE2::PartialMatch(Piece(function), types, &code)) return Precision::kUnknown;
  return FromTypeCode(code);
}

// _matmul_ogs_NNT_<Y>x<X>x<W>_<tile>: names of Triton's own products contain the types of the
// result, the activations and the weights. Narrower weights are converted to the activations' type.
Precision TritonProductPrecision(std::string_view function) {
  static const RE2& types = *new RE2(
      "_(?:[bf]+p?\\d\\w*?|[iu]\\d+|mxfp\\d)x([bf]+p?\\d\\w*?|[iu]\\d+|mxfp\\d)x"
      "(?:[bf]+p?\\d\\w*?|[iu]\\d+|mxfp\\d)_\\d+x\\d+x\\d+");
  std::string code;
  if (!RE2::PartialMatch(Piece(function), types, &code)) return Precision::kUnknown;
  return FromTypeCode(code);
}

struct PrecisionPattern {
  const char* regex;
  Precision precision;
};

// Marks in names that consist of words (volta_fp16_s884gemm_…, cutlass_80_tensorop_d884gemm_…). The
// first match decides. s1688 without a 16-bit type can only be TF32.
constexpr PrecisionPattern kWordPrecisions[] = {
    // TensorRT-LLM's generator: the operands, the narrower of which is converted to the wider one;
    // not the result.
    {"_Qkv(?:E4m3|E5m2)|E2m1(?:Mx)?E4m3|E4m3(?:Mx)?E2m1", Precision::kFp8},
    {"_QkvBfloat16", Precision::kBf16},
    {"_QkvFp16", Precision::kFp16},
    {"ue4m3xf4|ue8m0xf4|e2m1|E2m1|nvfp4|f4gemm", Precision::kFp4},
    {"e4m3|e5m2|E4m3|E5m2|fp8|f8f8", Precision::kFp8},
    {"[_<]i(?:8816|8832|16832|161616|32816|83216)|_[su]8_|int8|imma|IMMA", Precision::kInt8},
    {"[_<]g?[dz](?:884|1684|1688|16816)|(?:^|_)[dz]gemm|f64|double", Precision::kFp64},
    {"bf16|bfloat16|Bfloat16", Precision::kBf16},
    {"fp16|(?:^|[^a-z])f16|(?:[Vv]olta|[Tt]uring)_hmma|_h(?:884|1688|16816|gemm|cudnn)",
     Precision::kFp16},
    {"tf32|[_<]g?[sc](?:1688|1684)(?:gemm|cudnn|[a-z]+_)", Precision::kTf32},
    {"(?:^|_)g?[sc]gemm|scudnn|_f32|fp32|convolve_sgemm", Precision::kFp32},
};

// The first C++ type in template arguments or parameters: kernels name their data before their
// accumulator and their indices.
constexpr PrecisionPattern kTypePrecisions[] = {
    {"^(?:float8_copy|Float8_|__nv_fp8|float_e[45]m[23])", Precision::kFp8},
    {"^(?:float_e2m1|__nv_fp4)", Precision::kFp4},
    {"^(?:float16_copy|c10::Half|Half|__half|half|_Float16)", Precision::kFp16},
    {"^(?:bfloat16|BFloat16|__nv_bfloat16|__bf16|DF16b)", Precision::kBf16},
    {"^tfloat32_t", Precision::kTf32},
    {"^double", Precision::kFp64},
    {"^float", Precision::kFp32},
};

Precision FirstMatch(std::string_view text, const std::vector<std::unique_ptr<const RE2>>& regexes,
                     const PrecisionPattern* patterns) {
  for (size_t i = 0; i < regexes.size(); ++i) {
    if (RE2::PartialMatch(Piece(text), *regexes[i])) return patterns[i].precision;
  }
  return Precision::kUnknown;
}

template <size_t n>
std::vector<std::unique_ptr<const RE2>>* Compile(const PrecisionPattern (&patterns)[n]) {
  auto* regexes = new std::vector<std::unique_ptr<const RE2>>;
  for (const PrecisionPattern& pattern : patterns) {
    regexes->push_back(std::make_unique<const RE2>(pattern.regex));
  }
  return regexes;
}

Precision WordPrecision(std::string_view words) {
  static const auto& regexes = *Compile(kWordPrecisions);
  return FirstMatch(words, regexes, kWordPrecisions);
}

Precision FirstTypePrecision(std::string_view name) {
  static const RE2& type = *new RE2(
      "(float8_copy|Float8_|__nv_fp8|float_e\\dm\\d|__nv_fp4|bfloat16|BFloat16|__bf16|DF16b|"
      "float16_copy|c104Half|c10::Half|__half|half_t|_Float16|Eigen::half|\\bhalf\\b|tfloat32_t|"
      "\\bdouble\\d?\\b|"
      "\\bfloat\\d?\\b)");
  static const auto& regexes = *Compile(kTypePrecisions);
  std::string token;
  if (!RE2::PartialMatch(Piece(name), type, &token)) return Precision::kUnknown;
  std::string_view word = token;
  word = WithoutPrefix(word, "Eigen::");
  word = WithoutPrefix(word, "c104");
  return FirstMatch(word, regexes, kTypePrecisions);
}

// The template arguments of a kernel, or its parameters if it is not a template. Text in
// parentheses is omitted: the parameters of a function around a lambda are not the kernel's data,
// but those of the lambda itself are.
std::string DataTypes(const NameParts& name) {
  std::string types;
  const std::string_view rest = name.from_start.substr(name.start.size());
  const bool is_template = rest.starts_with('<');
  int angles = 0;
  int skipped = 0;  // depth of the omitted parentheses
  for (size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == '(' && is_template && (skipped > 0 || !rest.substr(0, i).ends_with("lambda"))) {
      ++skipped;
    } else if (c == ')' && skipped > 0) {
      --skipped;
    } else if (skipped == 0) {
      types.push_back(c);
      if (c == '<') ++angles;
      if (c == '>' && --angles == 0 && is_template) break;
    }
  }
  return types;
}

Precision NamedPrecision(const NameParts& name) {
  if (name.start.starts_with("nvjet_")) return NvjetPrecision(name.function);
  if (name.start.starts_with("Cijk_") || name.start.starts_with("Custom_Cijk_")) {
    return TensilePrecision(name.function);
  }
  if (name.start.starts_with("nccl")) return NcclPrecision(name.function);
  if (Contains(name.function, "_xmma_")) return XmmaPrecision(name.function);
  if (Contains(name.function, "_matmul_")) {
    const Precision precision = TritonProductPrecision(name.function);
    if (precision != Precision::kUnknown) return precision;
  }
  // cuDNN's fused attention has f16 in its name for bf16 data too.
  if (Contains(name.function, "sdpa_sm") && !Contains(name.function, "fp8")) {
    return Precision::kUnknown;
  }
  // The template argument of cutlass::Kernel2<cutlass_80_tensorop_…> is a name that consists of
  // words; that of cutlass__5x_cudnn::Kernel<cutlass__5x_cudnn::…> is a type.
  const size_t words = name.whole.find("<cutlass_");
  if (words != std::string_view::npos && !name.whole.substr(words).starts_with("<cutlass__")) {
    return WordPrecision(name.whole.substr(words, name.whole.find('>', words) - words));
  }
  // Templates have their types in their arguments, other kernels rather in their names.
  if (name.from_start.substr(name.start.size()).starts_with('<')) {
    const Precision precision = FirstTypePrecision(DataTypes(name));
    return precision != Precision::kUnknown ? precision : WordPrecision(name.function);
  }
  const Precision precision = WordPrecision(name.function);
  return precision != Precision::kUnknown ? precision : FirstTypePrecision(DataTypes(name));
}

bool IsAmd(KernelLibrary library) {
  return library == KernelLibrary::kRocblas || library == KernelLibrary::kMiopen ||
         library == KernelLibrary::kComposableKernel || library == KernelLibrary::kRocm;
}

Precision ClassifyPrecision(const NameParts& name, const KernelClass& kernel) {
  // The types among the template arguments may be those of the result and of the scales.
  static const RE2& fp8_product = *new RE2("fp8_(?:fp4_)?gemm|gemm(?:_sm\\d+)?_fp8");
  if (kernel.family == KernelFamily::kGemm && RE2::PartialMatch(Piece(name.whole), fp8_product)) {
    return Precision::kFp8;
  }
  Precision precision = NamedPrecision(name);
  // NVIDIA's Tensor Cores have no fp32 mode: float data is multiplied as TF32. AMD's have one.
  if (precision == Precision::kFp32 && kernel.tensor_cores == TensorCoreUse::kYes &&
      !IsAmd(kernel.library)) {
    return Precision::kTf32;
  }
  return precision;
}

// The function after the template arguments at the start of `rest`, if these belong to a class of
// which it is a member; otherwise empty.
std::string_view MemberName(std::string_view rest) {
  if (!rest.starts_with('<')) return {};
  size_t end = 0;
  for (int depth = 0; end < rest.size(); ++end) {
    if (rest[end] == '<') ++depth;
    if (rest[end] == '>' && --depth == 0) break;
  }
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (!rest.starts_with("::")) return {};
  const std::string_view name = FunctionName(rest.substr(2));
  const std::string_view member = MemberName(rest.substr(2 + name.size()));
  return member.empty() ? name : member;
}

// A mangled name with a readable qualified function name, and the rest, still mangled, in angle
// brackets: "aiter::fmoe<DF16bLi64EEEvPT_>"; other names unchanged. A full demangler can be made to
// write gigabytes. Names of AMD's kernels may end with ".kd", for their descriptor.
std::string Readable(std::string_view name) {
  constexpr std::string_view kDescriptor = ".kd";
  if (name.ends_with(kDescriptor)) name.remove_suffix(kDescriptor.size());
  if (!name.starts_with("_Z")) return std::string(name);
  std::string_view rest = name.substr(2);
  const bool nested = rest.starts_with('N');
  if (nested) rest.remove_prefix(1);
  std::string function;
  while (!rest.empty()) {
    if (rest[0] == 'L') rest.remove_prefix(1);  // internal linkage
    size_t length = 0;
    while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9' && length < name.size()) {
      length = 10 * length + static_cast<size_t>(rest[0] - '0');
      rest.remove_prefix(1);
    }
    if (length == 0 || length > rest.size()) break;
    const std::string_view part = rest.substr(0, length);
    rest.remove_prefix(length);
    if (!function.empty()) function += "::";
    function += part == "_GLOBAL__N_1" ? kAnonymousNamespaces[0] : part;
    if (!nested) break;
  }
  if (function.empty()) return std::string(name);
  return function + "<" + std::string(rest) + ">";
}

KernelGenerator GeneratorOf(std::string_view name, KernelLibrary library) {
  static const RE2& inductor = *new RE2("^triton_(?:poi|red|per|tem|for|spl|mix|unk|flex)_");
  static const RE2& cutlass = *new RE2("cutlass(?:3x)?_(?:\\d|sm\\d|tensorop|simt)");
  if (library == KernelLibrary::kXla) return KernelGenerator::kXla;
  if (RE2::PartialMatch(Piece(name), inductor)) return KernelGenerator::kInductor;
  if (RE2::PartialMatch(Piece(name), cutlass)) return KernelGenerator::kCutlass;
  return KernelGenerator::kUnknown;
}

DataLayout LayoutOf(std::string_view name) {
  const bool last = Contains(name, "nhwc") || Contains(name, "Nhwc") || Contains(name, "NHWC") ||
                    Contains(name, "channels_last");
  const bool first = Contains(name, "nchw") || Contains(name, "Nchw") || Contains(name, "NCHW");
  if (last == first) return DataLayout::kUnknown;  // neither, or a conversion
  return last ? DataLayout::kChannelsLast : DataLayout::kChannelsFirst;
}

// CatArrayBatchedCopy<…OpaqueType<2u>…>, multi_tensor_apply_kernel<…, …Functor<float, …>>.
int64_t ElementBytesOf(std::string_view name) {
  constexpr std::string_view kOpaque = "OpaqueType<";
  if (const size_t at = name.find(kOpaque); at != name.npos) {
    const size_t digit = at + kOpaque.size();
    if (digit < name.size() && name[digit] >= '1' && name[digit] <= '9') return name[digit] - '0';
  }
  size_t first = name.npos;
  int64_t bytes = kMissing;
  for (const auto& [text, size] : {std::pair{std::string_view("c10::BFloat16"), 2},
                                   {std::string_view("c10::Half"), 2},
                                   {std::string_view("<float"), 4},
                                   {std::string_view("<double"), 8},
                                   {std::string_view("<long"), 8}}) {
    const size_t at = name.find(text);
    if (at < first) {
      first = at;
      bytes = size;
    }
  }
  return bytes;
}

}  // namespace

KernelClass ClassifyKernel(std::string_view recorded_name) {
  // Every pattern searches the whole name. Real names have up to a few thousand characters, and the
  // relevant part is at the beginning.
  constexpr size_t kLongestName = 32 * 1024;
  const std::string readable = Readable(recorded_name.substr(0, kLongestName));
  const std::string_view long_name = readable;
  NameParts name;
  name.whole = long_name;
  name.function = FunctionName(long_name);
  name.start = WithoutAnonymousNamespace(name.function);
  name.from_start = long_name.substr(name.start.data() - long_name.data());

  const CharacterPairs pairs(long_name);
  KernelClass kernel;
  std::string_view family_reason;
  std::string_view library_reason;
  for (const CompiledPattern& pattern : CompiledPatterns()) {
    const KernelPattern& row = *pattern.row;
    const bool need_library = kernel.library == KernelLibrary::kUnknown;
    const bool need_family = kernel.family == KernelFamily::kUnknown;
    const bool need_use = kernel.tensor_cores == TensorCoreUse::kUnknown;
    if (!need_library && !need_family && !need_use) break;
    const bool new_library = need_library && row.library != KernelLibrary::kUnknown;
    const bool new_family = need_family && row.family != KernelFamily::kUnknown;
    const bool new_use = need_use && row.tensor_cores != TensorCoreUse::kUnknown &&
                         (new_family || row.family == KernelFamily::kUnknown);
    if (!(new_library || new_family || new_use) || !Applies(pattern, name, pairs)) continue;
    if (new_library) {
      kernel.library = row.library;
      library_reason = row.reason;
    }
    if (new_family) {
      kernel.family = row.family;
      family_reason = row.reason;
    }
    if (new_use) {
      kernel.tensor_cores = row.tensor_cores;
      kernel.reason = row.reason;
    }
  }
  if (kernel.reason.empty()) kernel.reason = family_reason;
  if (kernel.reason.empty()) kernel.reason = library_reason;
  if (kernel.reason.empty()) kernel.reason = "No pattern matches this name.";
  kernel.precision = ClassifyPrecision(name, kernel);
  if (kernel.family == KernelFamily::kCollective)
    kernel.collective = CollectiveNamed(name.function);
  kernel.generator = GeneratorOf(name.from_start, kernel.library);
  kernel.layout = LayoutOf(long_name);
  kernel.element_bytes = ElementBytesOf(long_name);
  return kernel;
}

std::string ShortKernelName(std::string_view long_name) {
  std::string_view name = FunctionName(long_name);
  // A member of a class template: "Policy<int>::kernel<int>(int)".
  if (const size_t end = name.data() + name.size() - long_name.data(); end < long_name.size()) {
    const std::string_view member = MemberName(long_name.substr(end));
    if (!member.empty()) name = member;
  }
  if (const size_t space = name.rfind("::"); space != name.npos) name.remove_prefix(space + 2);
  return std::string(name.empty() ? long_name : name);
}

}  // namespace warpsight
