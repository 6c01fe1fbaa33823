// SPDX-License-Identifier: BSD-3-Clause
#include "server/api/data_services.hpp"

#include "server/api/paging.hpp"
#include "server/api/pieces.hpp"
#include "server/api/transfers.hpp"

namespace kaname::api {
namespace {

using auth::Role;

helpers::IndexRange range_of(const v1::IndexRange& range, const char* field) {
    if (range.start() < 0 || range.count() < 0 || range.stride() < 0) {
        refuse(field, "start, count and stride must be >= 0, got " + std::to_string(range.start()) +
                          ", " + std::to_string(range.count()) + ", " +
                          std::to_string(range.stride()));
    }
    return {range.start(), range.count(), std::max<std::int64_t>(1, range.stride())};
}

}  // namespace

grpc::Status ArtifactsService::GetUpload(grpc::ServerContext* call,
                                         const v1::GetUploadRequest* request, v1::Upload* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal&) {
        *reply = look_up_upload(context_.artifacts, *request);
    });
}

grpc::Status ArtifactsService::Put(grpc::ServerContext* call,
                                   grpc::ServerReader<v1::PutRequest>* reader,
                                   v1::Artifact* reply) {
    return handle(context_, *call, Role::User, [&](const auth::Principal&) {
        *reply =
            receive(context_.artifacts, [&](v1::PutRequest& part) { return reader->Read(&part); });
    });
}

grpc::Status ArtifactsService::GetArtifact(grpc::ServerContext* call,
                                           const v1::GetArtifactRequest* request,
                                           v1::Artifact* reply) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal&) {
        const auto artifact = context_.artifacts.open(request->sha256());
        reply->set_sha256(request->sha256());
        reply->set_bytes(static_cast<std::int64_t>(artifact->size()));
    });
}

grpc::Status ArtifactsService::ReadArtifact(grpc::ServerContext* call,
                                            const v1::ReadArtifactRequest* request,
                                            grpc::ServerWriter<v1::ReadArtifactResponse>* writer) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal&) {
        send(context_.artifacts, *request,
             [&](const v1::ReadArtifactResponse& message) { return writer->Write(message); });
    });
}

grpc::Status ArtifactsService::ReadSlice(grpc::ServerContext* call,
                                         const v1::ReadSliceRequest* request,
                                         grpc::ServerWriter<v1::ReadSliceResponse>* writer) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal&) {
        constexpr std::size_t kValues = 100000;
        const auto sources = range_of(request->sources(), "sources");
        const auto epochs = range_of(request->epochs(), "epochs");
        const auto stations = range_of(request->stations(), "stations");
        const v1::Dataset dataset =
            datasets_.get(id_of(request->dataset(), "datasets", "dataset"), true);
        const helpers::Block block = context_.compute.slice(
            context_.artifacts.local_file(dataset.sha256()), sources, epochs, stations);
        v1::ReadSliceResponse message;
        v1::ReadSliceResponse::Shape& shape = *message.mutable_shape();
        shape.set_sources(static_cast<std::int64_t>(block.source_ids.size()));
        shape.set_epochs(static_cast<std::int64_t>(block.epochs_s.size()));
        shape.set_stations(static_cast<std::int64_t>(block.station_ids.size()));
        shape.set_components(static_cast<std::int64_t>(block.components.size()));
        shape.mutable_source_ids()->Assign(block.source_ids.begin(), block.source_ids.end());
        shape.mutable_epochs_s()->Assign(block.epochs_s.begin(), block.epochs_s.end());
        const bool open = send_in_pieces(block.station_ids, [&](auto begin, auto end) {
            shape.mutable_station_ids()->Assign(begin, end);
            const bool sent = writer->Write(message);
            shape.Clear();
            return sent;
        });
        if (!open) {
            return;
        }
        for (std::size_t first = 0; first < block.values.size(); first += kValues) {
            const auto begin = block.values.begin() + static_cast<std::ptrdiff_t>(first);
            const auto count = std::min(kValues, block.values.size() - first);
            message.Clear();
            message.set_first(static_cast<std::int64_t>(first));
            message.mutable_values()->Assign(begin, begin + static_cast<std::ptrdiff_t>(count));
            if (!writer->Write(message)) {
                return;
            }
        }
    });
}

grpc::Status DatasetsService::ListDatasets(grpc::ServerContext* call,
                                           const v1::ListDatasetsRequest* request,
                                           v1::ListDatasetsResponse* reply) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal&) {
        const int size = page_size_of(request->page_size(), 50);
        const auto page = context_.store.list_jobs({}, size, request->page_token());
        for (const store::Job& job : page.rows) {
            if (const auto dataset = dataset_of(context_, job)) {
                *reply->add_datasets() = *dataset;
            }
        }
        reply->set_next_page_token(page.next);
    });
}

grpc::Status DatasetsService::GetDataset(grpc::ServerContext* call,
                                         const v1::GetDatasetRequest* request, v1::Dataset* reply) {
    return handle(context_, *call, Role::Viewer, [&](const auth::Principal&) {
        *reply =
            datasets_.get(id_of(request->name(), "datasets", "name"), request->allow_partial());
    });
}

}  // namespace kaname::api
