// SPDX-License-Identifier: BSD-3-Clause
// Batches and replies above gRPC's 4 MiB per message.
#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::large_calls_test {
namespace {

// So many that motion, ids and request are each above a message.
constexpr int kStations = 90000;
constexpr std::size_t kPiece = 1U << 20U, kMessage = 4U << 20U;

class LargeCalls : public ApiTest {
protected:
    /// A stream of messages to its end.
    template <class Reader, class Message>
    static void drain(Reader& reader, std::vector<Message>& messages) {
        Message message;
        while (reader.Read(&message)) {
            messages.push_back(std::move(message));
        }
        const grpc::Status status = reader.Finish();
        EXPECT_TRUE(status.ok()) << status.error_message();
    }
    v1::Job submit_in_pieces() {
        const std::string bytes = batch_.SerializeAsString();
        EXPECT_GT(bytes.size(), kMessage);
        Call context(user_);
        v1::Job job;
        const auto writer = greens_->SubmitBatch(&context, &job);
        v1::SubmitBatchRequest part;
        part.mutable_header()->set_request_id(store::make_uuid());
        writer->Write(part);
        std::int64_t pieces = 0;
        for (std::size_t at = 0; at < bytes.size(); at += kPiece, ++pieces) {
            part.set_piece(bytes.substr(at, kPiece));
            writer->Write(part);
        }
        part.mutable_commit()->set_pieces(pieces);
        part.mutable_commit()->set_sha256(sha256_hex(bytes));
        writer->Write(part);
        writer->WritesDone();
        const grpc::Status status = writer->Finish();
        EXPECT_TRUE(status.ok()) << status.error_message();
        return job;
    }
};

TEST_F(LargeCalls, ABatchOf90000StationsIsSubmittedSeenAndStreamed) {
    compute_.stations.clear();
    batch_.mutable_stations()->clear_list();
    for (int k = 0; k < kStations; ++k) {
        std::string id =
            "station-of-a-dense-array-of-a-thousand-kilometres-" + std::to_string(100000 + k);
        v1::Station& station = *batch_.mutable_stations()->add_list();
        station.set_id(id);
        station.set_lon_deg(134.5 + 1e-6 * k);
        station.set_lat_deg(34.0);
        compute_.stations.push_back(std::move(id));
    }
    register_worker();

    const v1::Job job = submit_in_pieces();

    v1::GetJobRequest get;
    get.set_name(job.name());
    v1::Job found;
    const grpc::Status got = call(*jobs_, &v1::Jobs::Stub::GetJob, viewer_, get, found);
    ASSERT_TRUE(got.ok()) << got.error_message();
    EXPECT_EQ(found.spec_sha256(), job.spec_sha256());
    EXPECT_GT(artifacts_.size(found.spec_sha256()).value_or(0), kMessage);
    v1::ListJobsResponse list;
    EXPECT_TRUE(call(*jobs_, &v1::Jobs::Stub::ListJobs, viewer_, v1::ListJobsRequest(), list).ok());
    EXPECT_EQ(list.jobs_size(), 1);

    ASSERT_TRUE(complete(claim().tasks(0), "mesh file").ok());
    const v1::ClaimResponse pack = claim();
    ASSERT_TRUE(complete(pack.tasks(0), "source").ok());
    store_.cancel_job(id_of(job));

    Call watching(viewer_);
    v1::WatchJobRequest watch;
    watch.set_name(job.name());
    std::vector<v1::JobUpdate> updates;
    drain(*jobs_->WatchJob(&watching, watch), updates);
    EXPECT_EQ(updates.back().event(), v1::JobUpdate::JOB_ENDED);

    Call streaming(viewer_);
    v1::StreamResultsRequest stream;
    stream.set_job(job.name());
    std::vector<v1::GreensResult> results;
    drain(*greens_->StreamResults(&streaming, stream), results);
    v1::GreensResult::Axes axes;
    for (const v1::GreensResult& result : results) {
        axes.MergeFrom(result.axes());
        EXPECT_LT(result.ByteSizeLong(), kMessage);
    }
    EXPECT_EQ(axes.n_stations(), kStations);
    ASSERT_EQ(axes.stations_size(), kStations);
    EXPECT_EQ(axes.stations(kStations - 1), compute_.stations.back());
    EXPECT_EQ(axes.epochs_s_size(), 2);
    EXPECT_EQ(axes.components_size(), 3);

    Call reading(viewer_);
    v1::ReadSliceRequest slice;
    slice.set_dataset("datasets/" + id_of(job));
    std::vector<v1::ReadSliceResponse> blocks;
    drain(*data_->ReadSlice(&reading, slice), blocks);
    v1::ReadSliceResponse::Shape shape;
    std::size_t n_values = 0;
    for (const v1::ReadSliceResponse& block : blocks) {
        shape.MergeFrom(block.shape());
        n_values += static_cast<std::size_t>(block.values_size());
    }
    EXPECT_EQ(shape.station_ids_size(), kStations);
    EXPECT_EQ(shape.stations(), kStations);
    EXPECT_EQ(n_values, 6U * kStations);
}

TEST_F(LargeCalls, OfThousandsOfWarningsSomeAreToldAndTheOthersCounted) {
    compute_.n_warnings = kStations;

    const v1::Job job = submit();

    ASSERT_EQ(job.report().warnings_size(), 101);
    EXPECT_EQ(job.report().warnings(99), "near a side");
    EXPECT_EQ(job.report().warnings(100), "and 89900 more warnings");
}

TEST_F(LargeCalls, StagesWithLongErrorsAreListedInPages) {
    batch_.mutable_fault()->mutable_plane()->set_n_strike(20);
    batch_.mutable_fault()->mutable_plane()->set_n_dip(20);
    register_worker();
    const v1::Job job = submit();
    v1::FailRequest failure;
    failure.set_worker_id(worker_);
    *failure.mutable_ref() = claim().tasks(0).ref();
    failure.set_message(std::string(16U << 10U, 'x'));
    google::protobuf::Empty nothing;
    ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Fail, agent_, failure, nothing).ok());

    v1::ListItemsRequest request;
    request.set_job(job.name());
    request.set_page_size(1000);
    std::vector<std::int64_t> ordinals;
    int n_pages = 0;
    do {
        v1::ListItemsResponse page;
        const grpc::Status status =
            call(*jobs_, &v1::Jobs::Stub::ListItems, viewer_, request, page);
        ASSERT_TRUE(status.ok()) << status.error_message();
        for (const v1::Item& item : page.items()) {
            ordinals.push_back(item.ordinal());
        }
        ++n_pages;
        request.set_page_token(page.next_page_token());
    } while (!request.page_token().empty());

    EXPECT_GT(n_pages, 1);
    ASSERT_EQ(ordinals.size(), 802U);  // 20 x 20 patches, two directions; mesh and package
    for (std::size_t k = 0; k < ordinals.size(); ++k) {
        EXPECT_EQ(ordinals[k], static_cast<std::int64_t>(k));
    }
}

}  // namespace
}  // namespace kaname::service::large_calls_test
