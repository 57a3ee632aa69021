#pragma once

#include <cstdint>
#include <vector>

#include "importers/capture/row_part.h"
#include "model/hash_map.h"
#include "wire/records.h"

// Rows for GPU work and synchronization.
namespace warpsight::importers::capture {

// The demangled name of a kernel.
StringId KernelName(int64_t number, RowPart& rows);

void AddKernel(const wire::KernelRecord& record, RowPart& rows);
void AddCopy(const wire::CopyRecord& record, RowPart& rows);
void AddMemset(const wire::MemsetRecord& record, RowPart& rows);

// The GPU of each context: synchronization records contain only the context.
using ContextDevices = HashMap<int64_t, int64_t>;
// Adds the contexts of the work in a part.
void CollectContextDevices(const TracePart& part, ContextDevices& devices);
void AddSync(const wire::SyncRecord& record, const ContextDevices& devices, RowPart& rows);

}  // namespace warpsight::importers::capture
