#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "model/tables.h"

namespace warpsight {

// A column whose copies share its values until one of them is changed. Different threads may use
// different copies; one that is being changed must not be copied meanwhile.
template <typename T>
class SharedColumn {
 public:
  using value_type = T;

  SharedColumn() : values_(std::make_shared<Column<T>>()) {}
  // There is no move: what is left behind shares the values, too.
  SharedColumn(const SharedColumn&) = default;
  SharedColumn& operator=(const SharedColumn&) = default;
  ~SharedColumn() = default;

  // For changes. The values are then this column's own.
  Column<T>& Edit() {
    if (values_.use_count() > 1) values_ = std::make_shared<Column<T>>(*values_);
    return *values_;
  }
  // Goes on to share the values where they stay the same.
  void Set(Column<T> values) {
    if (values != *values_) values_ = std::make_shared<Column<T>>(std::move(values));
  }
  void push_back(T value) { Edit().push_back(value); }

  const T& operator[](size_t row) const { return (*values_)[row]; }
  const T& back() const { return values_->back(); }
  size_t size() const { return values_->size(); }
  bool empty() const { return values_->empty(); }
  const T* data() const { return values_->data(); }
  auto begin() const { return values_->cbegin(); }
  auto end() const { return values_->cend(); }
  const Column<T>& values() const { return *values_; }
  operator const Column<T>&() const { return *values_; }  // NOLINT(google-explicit-constructor)

  bool SharesWith(const SharedColumn& other) const { return values_ == other.values_; }

 private:
  std::shared_ptr<Column<T>> values_;  // never null
};

}  // namespace warpsight
