#include <string_view>

#include "importers/api/importer.h"
#include "importers/api/sqlite_database.h"
#include "importers/nvprof/csv_reader.h"
#include "importers/nvprof/database_reader.h"

namespace warpsight::importers::nvprof {

Importer Define() {
  Importer importer{"nvprof", "nvprof databases and CSV traces", 30,
                    [](std::string_view head) { return IsSqlite(head) || LooksLikeCsvTrace(head); },
                    [](ImportContext& context) {
                      auto bytes = context.whole.Bytes();
                      if (!bytes.ok()) return Status(bytes.error());
                      const bool database = IsSqlite({bytes->data(), bytes->size()});
                      return database ? ReadDatabase(context) : ReadCsv(context);
                    }};
  importer.recognize = [](WholeFile& file) {
    auto bytes = file.Bytes();
    if (!bytes.ok()) return Status(bytes.error());
    const bool database = IsSqlite({bytes->data(), bytes->size()});
    return database ? RecognizeDatabase(file) : Status();
  };
  return importer;
}

}  // namespace warpsight::importers::nvprof
