#pragma once

#include <cstdint>
#include <string_view>

namespace warpsight::importers::xplane {

// The fields of a protobuf message, one after the other. Nothing throws: damage ends the fields,
// and a field that reaches beyond the end of the message is given as far as it is there.
class ProtoFields {
 public:
  explicit ProtoFields(std::string_view message)
      : next_(message.data()), end_(message.data() + message.size()), place_(next_) {}

  // Goes to the next field; false at the end and at damage.
  bool Next();

  uint32_t number() const { return number_; }
  // The values of the field; 0 and "" where it is of another kind.
  uint64_t integer() const { return integer_; }
  int64_t signed_integer() const { return static_cast<int64_t>(integer_); }
  double real() const;
  std::string_view bytes() const { return bytes_; }

  // Where the current field begins; after the last one, where reading ended.
  const char* place() const { return place_; }
  const char* after() const { return next_; }
  // The message ended inside of the last field.
  bool cut() const { return cut_; }
  // The message holds something that is no field.
  bool damaged() const { return damaged_; }
  bool whole() const { return !cut_ && !damaged_; }

 private:
  bool ReadVarint(uint64_t& value);
  bool ReadFixed(size_t size);
  bool ReadBytes();

  const char* next_;
  const char* end_;
  const char* place_;
  uint32_t number_ = 0;
  uint64_t integer_ = 0;
  std::string_view bytes_;
  bool cut_ = false;
  bool damaged_ = false;
};

}  // namespace warpsight::importers::xplane
