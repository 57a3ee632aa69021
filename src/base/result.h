#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/check.h"

namespace warpsight {

// A one-line message that tells the user what to do. Status and Result contain it; exceptions never
// cross module boundaries.
struct Error {
  Error(std::string its_message, std::string_view its_code = {})  // NOLINT: implicit by design
      : message(std::move(its_message)), code(its_code) {}
  Error() = default;

  std::string message;
  // An identifier of the kind of failure for programs, such as "damaged". A literal; may be empty.
  std::string_view code;
};

// Success, or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT: implicit by design

  bool ok() const { return ok_; }
  const Error& error() const {
    WS_CHECK(!ok_);
    return error_;
  }

 private:
  Error error_;
  bool ok_ = true;
};

// A value, or the Error that prevented it.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : value_(std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return std::holds_alternative<T>(value_); }
  const Error& error() const {
    WS_CHECK(!ok());
    return std::get<Error>(value_);
  }
  Status status() const { return ok() ? Status() : Status(error()); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  T& value() {
    WS_CHECK(ok());
    return std::get<T>(value_);
  }
  const T& value() const {
    WS_CHECK(ok());
    return std::get<T>(value_);
  }

  std::variant<T, Error> value_;
};

}  // namespace warpsight
