// Objects written: small ones by one request, larger ones in parts, several at a time.
//
// Used by:  store.
// Threads:  the file belongs to one thread at a time; parts have threads of their own until close()
//           or the destructor, which gives the upload up.
// Fails:    close() as s3.h says: kAlreadyExists when the name had to be free and is not.
#pragma once

#include <memory>

#include "storage/s3/part_memory.h"
#include "storage/s3/requests.h"

namespace evener::storage {

enum class IfThere { kReplace, kRefuse };

std::unique_ptr<os::WritableFile> write_object(Requests& requests, PartMemory& memory,
                                               const Uri& object, IfThere if_there);

}  // namespace evener::storage
