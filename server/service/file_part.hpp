// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include "proto/kaname/v1/artifacts_service.pb.h"

namespace kaname::service {

/// A message of a file that is being sent. The chunk is apart from the rest, so that a transport
/// can send it from where it was read to.
struct FilePart {
    v1::ReadArtifactResponse head;  ///< without the chunk
    std::shared_ptr<const std::string> chunk;
};

/// Room for chunks, used again once nobody has the chunk any more that was in it.
class ChunkRoom {
public:
    /// `bytes` of room whose content nobody needs.
    [[nodiscard]] std::shared_ptr<std::string> take(std::size_t bytes);

private:
    static constexpr std::size_t kKept = 4;
    std::array<std::shared_ptr<std::string>, kKept> kept_;
};

}  // namespace kaname::service
