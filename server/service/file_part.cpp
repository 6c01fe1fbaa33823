// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/file_part.hpp"

#include <atomic>

namespace kaname::service {

std::shared_ptr<std::string> ChunkRoom::take(std::size_t bytes) {
    for (std::shared_ptr<std::string>& room : kept_) {
        if (!room || room.use_count() == 1) {
            // Behind what the last other holder did with it.
            std::atomic_thread_fence(std::memory_order_acquire);
            if (!room) {
                room = std::make_shared<std::string>();
            }
            room->resize(bytes);
            return room;
        }
    }
    return std::make_shared<std::string>(bytes, '\0');
}

}  // namespace kaname::service
