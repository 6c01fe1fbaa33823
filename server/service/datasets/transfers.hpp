// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "proto/kaname/v1/artifacts_service.pb.h"
#include "server/artifacts/artifact_store.hpp"
#include "server/service/datasets/dataset_keeper.hpp"
#include "server/service/stream/calls.hpp"

namespace kaname::service {

/// A message of a file that is being sent. The chunk is apart from the rest, so that a transport
/// can send it from where it was read to.
struct FilePart {
    v1::ReadArtifactResponse head;  ///< without the chunk
    std::shared_ptr<const std::string> chunk;
};

/// Room for chunks, used again once nobody has the chunk any more that was in it.
class ChunkBuffers {
public:
    /// A buffer of `bytes` whose content nobody needs.
    [[nodiscard]] std::shared_ptr<std::string> take(std::size_t bytes);

private:
    static constexpr std::size_t kKept = 4;
    std::array<std::shared_ptr<std::string>, kKept> kept_;
};

/// Uploads and downloads by hash, the same for users and workers.

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

/// Files by hash, and blocks of datasets.
class Artifacts {
public:
    Artifacts(Context& context, DatasetMaker& datasets) : context_(context), datasets_(datasets) {}

    void get_upload(const v1::GetUploadRequest& request, v1::Upload& reply);
    /// Counts against the caller's quota of bytes.
    void put(const Read<v1::PutRequest>& read, const auth::Principal& caller, v1::Artifact& reply);
    void get_artifact(const v1::GetArtifactRequest& request, v1::Artifact& reply);
    [[nodiscard]] Answers<FilePart> read_artifact(const v1::ReadArtifactRequest& request);
    [[nodiscard]] Answers<v1::ReadSliceResponse> read_slice(v1::ReadSliceRequest request,
                                                            helpers::Caller gone);

private:
    Context& context_;
    DatasetMaker& datasets_;
};

}  // namespace kaname::service
