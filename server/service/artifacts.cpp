// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/artifacts.hpp"

#include <utility>

#include "proto/spec/form/slice_rules.hpp"
#include "server/service/pieces.hpp"
#include "server/service/transfers.hpp"

namespace kaname::service {
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
    if (std::vector<Violation> broken = spec::check_slice(request); !broken.empty()) {
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
