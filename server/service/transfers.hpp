// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "proto/kaname/v1/artifacts_service.pb.h"
#include "server/artifacts/artifact_store.hpp"
#include "server/service/answers.hpp"

/// Uploads and downloads by hash, the same for users and workers.
namespace kaname::service {

[[nodiscard]] v1::Upload look_up_upload(artifacts::ArtifactStore& artifacts,
                                        const v1::GetUploadRequest& request);

/// `next` gives the parts of the stream until it returns false; `before` is told how many bytes
/// are missing when there are any, and may refuse them.
[[nodiscard]] v1::Artifact receive(artifacts::ArtifactStore& artifacts,
                                   const std::function<bool(v1::PutRequest&)>& next,
                                   const std::function<void(std::uint64_t missing)>& before = {});

/// The file in messages; `artifacts` outlives them. With `verify` one that is damaged is set aside.
[[nodiscard]] Answers<v1::ReadArtifactResponse> send(artifacts::ArtifactStore& artifacts,
                                                     v1::ReadArtifactRequest request);

}  // namespace kaname::service
