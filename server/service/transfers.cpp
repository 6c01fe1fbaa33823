// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/transfers.hpp"

#include <optional>

#include "server/artifacts/rules.hpp"
#include "server/service/context.hpp"
#include "solvers/base/crc32c.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::service {
namespace {

constexpr std::size_t kReadChunk = 256U << 10U;

std::uint64_t size_of(std::int64_t bytes, const char* field) {
    if (bytes < 0) {
        refuse(field, "must be >= 0, got " + std::to_string(bytes));
    }
    return static_cast<std::uint64_t>(bytes);
}

}  // namespace

v1::Upload look_up_upload(artifacts::ArtifactStore& artifacts,
                          const v1::GetUploadRequest& request) {
    const std::uint64_t bytes = size_of(request.bytes(), "bytes");
    v1::Upload upload;
    upload.set_offset(static_cast<std::int64_t>(artifacts.look_up(request.sha256(), bytes)));
    upload.set_complete(artifacts.exists(request.sha256()));
    return upload;
}

v1::Artifact receive(artifacts::ArtifactStore& artifacts,
                     const std::function<bool(v1::PutRequest&)>& next,
                     const std::function<void(std::uint64_t)>& before) {
    v1::PutRequest part;
    if (!next(part) || !part.has_header()) {
        refuse("header", "must be the first message of an upload");
    }
    const v1::PutRequest::Header header = part.header();
    const std::uint64_t bytes = size_of(header.bytes(), "header.bytes");
    const std::uint64_t here = artifacts.look_up(header.sha256(), bytes);  // refuses early
    if (before && here < bytes) {
        before(bytes - here);
    }
    std::unique_ptr<artifacts::Upload> upload;  // a file only when there are bytes for it
    std::uint64_t offset = size_of(header.offset(), "header.offset");
    // A whole file that is there already is compared, not kept.
    std::optional<Sha256> again;
    if (offset == 0 && bytes > 0 && artifacts.exists(header.sha256())) {
        again.emplace();
    }
    while (next(part)) {
        if (!part.has_chunk() || part.chunk().size() > kMaxChunk) {
            refuse("chunk", "must have at most " + std::to_string(kMaxChunk) +
                                " bytes and follow the header");
        }
        if (again) {
            artifacts::check_append(header.sha256(), offset, offset, part.chunk().size(), bytes);
            again->update(part.chunk());
        } else {
            if (!upload) {
                upload = artifacts.begin_put(header.sha256(), bytes);
            }
            upload->write(offset, std::as_bytes(std::span(part.chunk())));
        }
        offset += part.chunk().size();
    }
    if (again && offset > 0) {
        artifacts::check_complete(header.sha256(), offset, bytes);
        artifacts::check_content(header.sha256(), again->hex());
    }
    if (!upload) {
        if (here < bytes) {
            refuse("chunk", "must follow the header: " + std::to_string(here) + " of " +
                                std::to_string(bytes) + " bytes are there");
        }
        upload = artifacts.begin_put(header.sha256(), bytes);
    }
    upload->commit();
    v1::Artifact artifact;
    artifact.set_sha256(header.sha256());
    artifact.set_bytes(header.bytes());
    return artifact;
}

Answers<FilePart> send(artifacts::ArtifactStore& artifacts, const v1::ReadArtifactRequest request) {
    std::uint64_t offset = size_of(request.read_offset(), "read_offset");
    const std::uint64_t limit = size_of(request.read_limit(), "read_limit");
    if (request.verify()) {
        artifacts.verify_or_set_aside(request.sha256());
    }
    const auto artifact = artifacts.open(request.sha256());
    if (offset > artifact->size()) {
        throw Error(ErrorCode::OutOfRange,
                    "read_offset must be <= " + std::to_string(artifact->size()) + ", got " +
                        std::to_string(offset));
    }
    const std::uint64_t end =
        limit == 0 ? artifact->size() : std::min(artifact->size(), offset + limit);
    ChunkRoom rooms;
    FilePart part;
    part.head.mutable_artifact()->set_sha256(request.sha256());
    part.head.mutable_artifact()->set_bytes(static_cast<std::int64_t>(artifact->size()));
    do {
        const auto chunk = rooms.take(std::min<std::uint64_t>(kReadChunk, end - offset));
        const auto bytes = std::as_writable_bytes(std::span(*chunk));
        (void)artifact->read(offset, bytes);
        part.head.set_offset(static_cast<std::int64_t>(offset));
        part.head.set_crc32c(crc32c(bytes));
        part.chunk = chunk;
        offset += chunk->size();
        co_yield part;
        part.head.clear_artifact();
    } while (offset < end);
}

}  // namespace kaname::service
