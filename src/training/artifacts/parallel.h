// The two ways work is spread over threads here: in any order, and with results in order.
//
// Used by:  staging and packing in this folder.
// Threads:  both block, start their own threads and join them before they return.
// Fails:    with the first error of a task, after every thread has ended; kCancelled when asked to
//           stop before the end.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "base/result.h"

namespace evener::artifacts {

// More would only compete for one disk; a guard against a wrong option.
inline constexpr std::size_t kMaxThreads = 64;

// Calls task(worker, index) once for each index below `count`. `stop` given to a task is also set
// when another task has failed.
using Task = std::function<Status(std::size_t worker, std::size_t index, std::stop_token stop)>;
Status run_tasks(std::size_t count, std::size_t threads, const Task& task, std::stop_token stop);

// Calls make(worker, index, bytes) on threads and take(index, bytes) in order of index on the
// calling thread. At most 2 * threads + 2 results exist at a time; their buffers are reused.
using MakeBytes =
    std::function<Status(std::size_t worker, std::size_t index, std::vector<std::byte>& bytes)>;
using TakeBytes = std::function<Status(std::size_t index, std::span<const std::byte> bytes)>;
Status make_in_order(std::size_t count, std::size_t threads, const MakeBytes& make,
                     const TakeBytes& take, std::stop_token stop);

}  // namespace evener::artifacts
