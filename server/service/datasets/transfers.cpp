// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/datasets/transfers.hpp"

#include <atomic>
#include <optional>
#include <utility>

#include "proto/request/form/rules.hpp"
#include "server/artifacts/artifact_store.hpp"
#include "server/service/context.hpp"
#include "server/service/stream/calls.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::service {

std::shared_ptr<std::string> ChunkBuffers::take(std::size_t bytes) {
    for (std::shared_ptr<std::string>& buffer : kept_) {
        if (!buffer || buffer.use_count() == 1) {
            // Behind what the last other holder did with it.
            std::atomic_thread_fence(std::memory_order_acquire);
            if (!buffer) {
                buffer = std::make_shared<std::string>();
            }
            buffer->resize(bytes);
            return buffer;
        }
    }
    return std::make_shared<std::string>(bytes, '\0');
}

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
    ChunkBuffers buffers;
    FilePart part;
    part.head.mutable_artifact()->set_sha256(request.sha256());
    part.head.mutable_artifact()->set_bytes(static_cast<std::int64_t>(artifact->size()));
    do {
        const auto chunk = buffers.take(std::min<std::uint64_t>(kReadChunk, end - offset));
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

void Artifacts::get_upload(const v1::GetUploadRequest& request, v1::Upload& reply) {
    reply = look_up_upload(context_.artifacts, request);
    if (!reply.complete()) {
        check_room(context_, static_cast<std::uint64_t>(request.bytes() - reply.offset()));
    }
}

void Artifacts::put(const Read<v1::PutRequest>& read, const auth::Principal& caller,
                    v1::Artifact& reply) {
    v1::PutRequest header;
    if (!read(header) || !header.has_header()) {
        refuse("header", "must be the first message of an upload");
    }
    const v1::PutRequest::Header& wanted = header.header();
    if (wanted.bytes() < 0) {
        refuse("header.bytes", "must be >= 0, got " + std::to_string(wanted.bytes()));
    }
    // Refuses what is wrong before it is noted.
    (void)context_.artifacts.look_up(wanted.sha256(), static_cast<std::uint64_t>(wanted.bytes()));
    const auto counted = context_.quotas.begin_upload(caller.name, wanted.sha256(), wanted.bytes());
    bool first = true;
    const auto parts = [&](v1::PutRequest& next) {
        if (std::exchange(first, false)) {
            next = header;
            return true;
        }
        return read(next);
    };
    reply = receive(context_.artifacts, parts,
                    [this](std::uint64_t missing) { check_room(context_, missing); });
}

void Artifacts::get_artifact(const v1::GetArtifactRequest& request, v1::Artifact& reply) {
    const auto artifact = context_.artifacts.open(request.sha256());
    reply.set_sha256(request.sha256());
    reply.set_bytes(static_cast<std::int64_t>(artifact->size()));
}

Answers<FilePart> Artifacts::read_artifact(const v1::ReadArtifactRequest& request) {
    return send(context_.artifacts, request);
}

Answers<v1::ReadSliceResponse> Artifacts::read_slice(const v1::ReadSliceRequest request,
                                                     const helpers::Caller gone) {
    constexpr std::size_t kValues = 100000;
    if (std::vector<Violation> broken = request::check_slice(request); !broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    const v1::Dataset dataset =
        datasets_.get(id_of(request.dataset(), "datasets", "dataset"), true, gone);
    helpers::Slice slice =
        context_.compute.slice(context_.artifacts.local_file(dataset.sha256()), request, gone);
    const helpers::Block& block = slice.axes;
    v1::ReadSliceResponse message;
    v1::ReadSliceResponse::Shape& shape = *message.mutable_shape();
    shape.set_sources(static_cast<std::int64_t>(block.source_ids.size()));
    shape.set_epochs(static_cast<std::int64_t>(block.epochs_s.size()));
    shape.set_stations(static_cast<std::int64_t>(block.station_ids.size()));
    shape.set_components(static_cast<std::int64_t>(block.components.size()));
    shape.mutable_component_ids()->Assign(block.components.begin(), block.components.end());
    shape.mutable_source_ids()->Assign(block.source_ids.begin(), block.source_ids.end());
    shape.mutable_epochs_s()->Assign(block.epochs_s.begin(), block.epochs_s.end());
    for (const auto& [first, last] : pieces_of(block.station_ids)) {
        shape.mutable_station_ids()->Assign(first, last);
        co_yield message;
        shape.Clear();
    }
    std::int64_t first = 0;
    for (std::vector<double> some; !(some = slice.values.next(kValues)).empty();) {
        message.Clear();
        message.set_first(first);
        message.mutable_values()->Assign(some.begin(), some.end());
        first += std::ssize(some);
        co_yield message;
    }
}

}  // namespace kaname::service
