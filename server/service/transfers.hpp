// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "proto/kaname/v1/artifacts_service.pb.h"
#include "server/artifacts/artifact_store.hpp"
#include "server/service/answers.hpp"
#include "server/service/file_part.hpp"

/// Uploads and downloads by hash, the same for users and workers.
namespace kaname::service {

/// Bytes of one message of an upload.
inline constexpr std::size_t kMaxChunk = std::size_t{1} << 20U;

[[nodiscard]] v1::Upload look_up_upload(artifacts::ArtifactStore& artifacts,
                                        const v1::GetUploadRequest& request);

/// `next` gives the parts of the stream until it returns false; `before` is told how many bytes
/// are missing when there are any, and may refuse them.
[[nodiscard]] v1::Artifact receive(artifacts::ArtifactStore& artifacts,
                                   const std::function<bool(v1::PutRequest&)>& next,
                                   const std::function<void(std::uint64_t missing)>& before = {});

/// The file in messages; `artifacts` outlives them. With `verify` one that is damaged is set aside.
[[nodiscard]] Answers<FilePart> send(artifacts::ArtifactStore& artifacts,
                                     v1::ReadArtifactRequest request);

}  // namespace kaname::service
