// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "proto/kaname/v1/artifacts_service.pb.h"
#include "server/artifacts/artifact_store.hpp"

/// Uploads and downloads by hash, the same for users and workers.
namespace kaname::service {

[[nodiscard]] v1::Upload look_up_upload(artifacts::ArtifactStore& artifacts,
                                        const v1::GetUploadRequest& request);

/// `next` gives the parts of the stream until it returns false.
[[nodiscard]] v1::Artifact receive(artifacts::ArtifactStore& artifacts,
                                   const std::function<bool(v1::PutRequest&)>& next);

/// `write` returns false when nobody reads any more.
void send(const artifacts::ArtifactStore& artifacts, const v1::ReadArtifactRequest& request,
          const std::function<bool(const v1::ReadArtifactResponse&)>& write);

}  // namespace kaname::service
