// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include "server/service/file_part.hpp"

namespace kaname::service {

/// The bytes of a v1::ReadArtifactResponse with the chunk where it lies: gRPC's own way copies it.
[[nodiscard]] grpc::ByteBuffer to_wire(const FilePart& part);

}  // namespace kaname::service
