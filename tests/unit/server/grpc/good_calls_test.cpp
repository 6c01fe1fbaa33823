// SPDX-License-Identifier: BSD-3-Clause
// One batch through the services: submitted, claimed, completed, watched, streamed, read.
#include <limits>
#include <map>
#include <thread>

#include "server/service/jobs/resolved_request.hpp"
#include "solvers/base/checksums.hpp"
#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::good_calls_test {
namespace {

class GoodCalls : public ApiTest {
protected:
    void run_everything() {
        register_worker();
        for (int round = 0; round < 3; ++round) {
            const v1::ClaimResponse claimed = claim();
            for (const v1::Task& task : claimed.tasks()) {
                ASSERT_TRUE(complete(task, "result of " + task.label()).ok());
            }
        }
    }
    grpc::Status put_log(const std::string& worker, const v1::TaskRef& ref,
                         const std::string& text) {
        v1::PutLogRequest request;
        request.set_worker_id(worker);
        *request.add_refs() = ref;
        request.set_data(text);
        google::protobuf::Empty nothing;
        return call(*workers_, &v1::Workers::Stub::PutLog, agent_, request, nothing);
    }
    std::vector<v1::JobUpdate> watch(const std::string& name, const std::string& token = "") {
        Call context(viewer_);
        v1::WatchJobRequest request;
        request.set_name(name);
        request.set_resume_token(token);
        const auto reader = jobs_->WatchJob(&context, request);
        std::vector<v1::JobUpdate> updates;
        v1::JobUpdate update;
        while (reader->Read(&update)) {
            if (update.event() != v1::JobUpdate::EVENT_UNSPECIFIED) {
                updates.push_back(update);
            }
        }
        EXPECT_TRUE(reader->Finish().ok());
        return updates;
    }
};

TEST_F(GoodCalls, ValidateOnlyQueuesNothing) {
    v1::CreateJobRequest request;
    *request.mutable_batch() = batch_;
    request.set_validate_only(true);
    v1::Job job;

    ASSERT_TRUE(call(*jobs_, &v1::Jobs::Stub::CreateJob, user_, request, job).ok());

    EXPECT_EQ(job.report().estimate().dof(), 300);
    EXPECT_EQ(job.report().estimate().notes(0), "Mw 7");
    EXPECT_EQ(job.report().warnings(0), "near a side");
    EXPECT_EQ(job.report().estimate().warnings_size(), 0);  // told once
    EXPECT_TRUE(store_.list_jobs({}, 1, "").rows.empty());
}

TEST_F(GoodCalls, ARepeatedRequestIsReplayedWithoutAnotherPreflight) {
    const std::string request = store::make_uuid();

    const v1::Job first = submit(request);
    const v1::Job second = submit(request);

    EXPECT_EQ(first.report().created(), 4);
    EXPECT_FALSE(first.report().replayed());
    EXPECT_TRUE(second.report().replayed());
    EXPECT_EQ(second.name(), first.name());
    EXPECT_EQ(compute_.n_preflights, 1);
}

TEST_F(GoodCalls, TooLargeASurfaceIsLeftOut) {
    compute_.surface_stored = false;

    const v1::Job job = submit();

    const auto bytes = artifacts_.read(job.spec_sha256(), 0, 1U << 20U);
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    EXPECT_EQ(request::parse_json(text, "specification").output().surface(), "none");
}

TEST_F(GoodCalls, TheTextThatIsEstimatedIsStored) {
    const std::string sha256 =
        service::put_text(artifacts_, "station,lon_deg,lat_deg\nA,138.0,36.0\n");
    batch_.mutable_stations()->add_files()->set_sha256(sha256);

    const v1::Job job = submit();

    EXPECT_EQ(sha256_hex(compute_.estimated), job.spec_sha256());
    ASSERT_EQ(compute_.estimated_files.size(), 1U);
    EXPECT_EQ(compute_.estimated_files[0].name, sha256);
    EXPECT_EQ(compute_.estimated_files[0].file, artifacts_.object_path(sha256));
}

TEST_F(GoodCalls, ABatchRunsThroughItsStages) {
    register_worker();
    const v1::Job job = submit();
    const v1::ClaimResponse mesh = claim();
    ASSERT_EQ(mesh.tasks_size(), 1);
    EXPECT_EQ(mesh.tasks(0).verb(), "mesh");
    EXPECT_FALSE(mesh.tasks(0).session());
    EXPECT_TRUE(artifacts_.exists(mesh.spec_sha256()));
    ASSERT_TRUE(complete(mesh.tasks(0), "mesh file").ok());

    const v1::ClaimResponse pack = claim();
    ASSERT_EQ(pack.tasks_size(), 2);
    EXPECT_EQ(pack.tasks(0).label(), "s00d00/rake_0");
    EXPECT_EQ(pack.tasks(0).verb(), "solve");
    EXPECT_TRUE(pack.tasks(0).session());
    ASSERT_EQ(pack.inputs_size(), 1);
    EXPECT_EQ(pack.inputs(0).label(), "mesh");
    EXPECT_EQ(pack.inputs(0).sha256(), sha256_hex("mesh file"));
    v1::FailRequest failure;
    failure.set_worker_id(worker_);
    *failure.mutable_ref() = pack.tasks(0).ref();
    failure.set_error_class("NotConverged");
    failure.set_message("too slow");
    google::protobuf::Empty nothing;
    ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Fail, agent_, failure, nothing).ok());
    ASSERT_TRUE(complete(pack.tasks(1), "source").ok());

    const v1::ClaimResponse package = claim();
    ASSERT_EQ(package.tasks_size(), 1);
    EXPECT_EQ(package.tasks(0).verb(), "package");
    EXPECT_FALSE(package.tasks(0).session());
    ASSERT_EQ(package.inputs_size(), 2);  // the mesh, and the source that is done
    EXPECT_EQ(package.inputs(1).label(), "s00d00/rake_90");
    ASSERT_TRUE(complete(package.tasks(0), "dataset").ok());

    v1::GetJobRequest get;
    get.set_name(job.name());
    v1::Job ended;
    ASSERT_TRUE(call(*jobs_, &v1::Jobs::Stub::GetJob, viewer_, get, ended).ok());
    EXPECT_EQ(ended.state(), v1::Job::FAILED);
    EXPECT_EQ(ended.dataset().sha256(), sha256_hex("dataset"));
    EXPECT_FALSE(ended.dataset().complete());
}

TEST_F(GoodCalls, AnySpecificationIsSubmittedByItsType) {
    const v1::Job first = submit();
    v1::CreateJobRequest request;
    request.mutable_specification()->PackFrom(batch_);
    request.set_request_id(store::make_uuid());
    v1::Job second;
    ASSERT_TRUE(call(*jobs_, &v1::Jobs::Stub::CreateJob, user_, request, second).ok());
    EXPECT_EQ(second.spec_sha256(), first.spec_sha256());
    EXPECT_EQ(second.report().created(), 0);

    request.mutable_specification()->set_type_url("type.googleapis.com/kaname.v1.Dream");
    const grpc::Status status = call(*jobs_, &v1::Jobs::Stub::CreateJob, user_, request, second);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_NE(
        status.error_message().find("must hold one of kaname.v1.GreensBatch, kaname.v1.Inversion, "
                                    "kaname.v1.VoxelWaves, kaname.v1.SeismicWaves, "
                                    "kaname.v1.Rupture, got "
                                    "'kaname.v1.Dream'"),
        std::string::npos)
        << status.error_message();
    request.clear_request();
    EXPECT_NE(call(*jobs_, &v1::Jobs::Stub::CreateJob, user_, request, second)
                  .error_message()
                  .find("request: must be given"),
              std::string::npos);
}

TEST_F(GoodCalls, AClaimNamesTheFilesOfItsSpecification) {
    const std::string stations = "station,lon_deg,lat_deg\nEXTRA," +
                                 std::to_string(batch_.region().centre_lon_deg()) + "," +
                                 std::to_string(batch_.region().centre_lat_deg()) + "\n";
    batch_.mutable_stations()->add_files()->set_sha256(put_text(artifacts_, stations));
    register_worker();
    (void)submit();

    const v1::ClaimResponse claimed = claim();

    std::map<std::string, std::int64_t> bytes_of;  // by field
    for (const v1::Input& file : claimed.files()) {
        bytes_of[file.label()] = file.bytes();
        EXPECT_TRUE(artifacts_.exists(file.sha256()));
    }
    ASSERT_TRUE(bytes_of.contains("stations.files[0]"));
    EXPECT_EQ(bytes_of["stations.files[0]"], static_cast<std::int64_t>(stations.size()));
}

TEST_F(GoodCalls, WatchingEndsWithTheJobAndResumesWithoutGaps) {
    const v1::Job job = submit();
    run_everything();

    const auto all = watch(job.name());
    ASSERT_EQ(all.size(), 6U);  // submitted, four stages, ended
    EXPECT_EQ(all.front().event(), v1::JobUpdate::SUBMITTED);
    EXPECT_EQ(all.back().event(), v1::JobUpdate::JOB_ENDED);
    EXPECT_EQ(all.back().job().state(), v1::Job::DONE);
    const auto rest = watch(job.name(), all[2].resume_token());
    ASSERT_EQ(rest.size(), 3U);
    EXPECT_EQ(rest[0].resume_token(), all[3].resume_token());
}

TEST_F(GoodCalls, ASourceIsStreamedWhileTheOtherIsAtWork) {
    register_worker();
    const v1::Job job = submit();
    ASSERT_TRUE(complete(claim().tasks(0), "mesh file").ok());
    const v1::ClaimResponse pack = claim();
    Call context(viewer_);
    v1::StreamResultsRequest request;
    request.set_job(job.name());
    const auto reader = greens_->StreamResults(&context, request);
    v1::GreensResult result;

    ASSERT_TRUE(complete(pack.tasks(1), "source").ok());
    ASSERT_TRUE(reader->Read(&result));
    EXPECT_EQ(result.axes().stations(0), "A");
    EXPECT_EQ(result.axes().sources(), 2);
    ASSERT_TRUE(reader->Read(&result));
    EXPECT_EQ(result.source(), "s00d00/rake_90");
    EXPECT_EQ(result.state(), v1::Item::DONE);
    EXPECT_EQ(result.displacement_m_size(), 6);
    EXPECT_EQ(store_.get_job(id_of(job)).state, store::JobState::Active);
    store_.cancel_job(id_of(job));
    ASSERT_TRUE(reader->Read(&result));
    EXPECT_EQ(result.state(), v1::Item::CANCELLED);
    EXPECT_FALSE(reader->Read(&result));
    EXPECT_TRUE(reader->Finish().ok());
}

TEST_F(GoodCalls, AWaitingClaimWakesUpWhenWorkArrives) {
    register_worker();
    v1::ClaimResponse claimed;
    std::jthread waiting([&] { claimed = claim(20); });

    submit();
    waiting.join();

    EXPECT_EQ(claimed.tasks_size(), 1);
}

TEST_F(GoodCalls, CancelsReachTheWorkerWithItsHeartbeat) {
    register_worker();
    const v1::Job job = submit();
    const v1::ClaimResponse mesh = claim();
    v1::HeartbeatRequest beat;
    beat.set_worker_id(worker_);
    *beat.add_held() = mesh.tasks(0).ref();
    v1::HeartbeatResponse reply;
    ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Heartbeat, agent_, beat, reply).ok());
    EXPECT_TRUE(reply.known());
    EXPECT_EQ(reply.cancels_size(), 0);
    v1::CancelJobRequest cancel;
    cancel.set_name(job.name());
    v1::Job cancelled;
    ASSERT_TRUE(call(*jobs_, &v1::Jobs::Stub::CancelJob, user_, cancel, cancelled).ok());

    ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Heartbeat, agent_, beat, reply).ok());

    EXPECT_EQ(cancelled.state(), v1::Job::CANCELLED);
    ASSERT_EQ(reply.cancels_size(), 1);
    EXPECT_EQ(reply.cancels(0), mesh.tasks(0).ref().task_id());
    beat.set_worker_id(store::make_uuid());
    ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Heartbeat, agent_, beat, reply).ok());
    EXPECT_FALSE(reply.known());
}

TEST_F(GoodCalls, ProgressAndLogsOfARunningStageAreSeen) {
    register_worker();
    const v1::Job job = submit();
    ASSERT_TRUE(complete(claim().tasks(0), "mesh file").ok());
    const v1::ClaimResponse pack = claim();
    v1::HeartbeatRequest beat;
    beat.set_worker_id(worker_);
    for (const v1::Task& task : pack.tasks()) {
        *beat.add_held() = task.ref();
        v1::TaskProgress& progress = *beat.add_progress();
        *progress.mutable_ref() = task.ref();
        progress.set_content_key(task.content_key());
        progress.set_fraction(0.5);
        progress.set_text("step 2/4");
    }
    v1::HeartbeatResponse beaten;
    ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Heartbeat, agent_, beat, beaten).ok());
    EXPECT_TRUE(put_log(worker_, pack.tasks(0).ref(), "a line\n").ok());

    v1::GetJobRequest get;
    get.set_name(job.name());
    v1::Job running;
    ASSERT_TRUE(call(*jobs_, &v1::Jobs::Stub::GetJob, viewer_, get, running).ok());
    EXPECT_DOUBLE_EQ(running.progress().fraction(), 0.5);
    EXPECT_EQ(running.progress().text(), "step 2/4");
    EXPECT_EQ(running.progress().running(), 2);
    EXPECT_EQ(log_of(job, "s00d00/rake_0"), "a line\n");
}

TEST_F(GoodCalls, TheProgressSaysWhatAJobWaitsFor) {
    const v1::Job job = submit();
    const auto text = [&] {
        v1::GetJobRequest get;
        get.set_name(job.name());
        v1::Job now;
        EXPECT_TRUE(call(*jobs_, &v1::Jobs::Stub::GetJob, viewer_, get, now).ok());
        return now.progress().text();
    };
    EXPECT_EQ(text(), "the mesh: waiting for a worker to start");
    for (const char* id : {"71", "72"}) {
        store::Dispatch dispatch{.dispatch_id = id, .place = "login:/s", .pool = "gpu"};
        store_.add_dispatch(dispatch);
        dispatch.native_id = id;
        dispatch.state = store::DispatchState::Ended;
        dispatch.reason = "FAILED, exit code 127; /s/slurm/logs/1.log: no such file";
        EXPECT_TRUE(store_.change_dispatch(dispatch));
    }
    EXPECT_EQ(text(),
              "the mesh: waiting for a worker to start; the last 2 worker jobs of pool gpu all "
              "failed, the last: job 72, FAILED, exit code 127; /s/slurm/logs/1.log: no such file");
    EXPECT_NE(server_->metrics().find("kaname_dispatches_failed_in_a_row{pool=\"gpu\"} 2"),
              std::string::npos);
    EXPECT_NE(server_->metrics().find("kaname_dispatches{pool=\"gpu\",outcome=\"failed\"} 2"),
              std::string::npos);
    register_worker();
    EXPECT_EQ(text(), "the mesh: about to be handed out");
    const v1::ClaimResponse mesh = claim();
    EXPECT_EQ(text(), "mesh: starting");
    ASSERT_TRUE(complete(mesh.tasks(0), "mesh file").ok());
    EXPECT_EQ(text(), "the next sources: about to be handed out");
    const v1::ClaimResponse pack = claim();
    EXPECT_EQ(text(), "starting");
    beat(pack, 1.0, "uploading the result");
    EXPECT_EQ(text(), "uploading the result");
    v1::ReturnTasksRequest back;
    back.set_worker_id(worker_);
    *back.add_refs() = pack.tasks(0).ref();
    back.set_time_limit_s(std::numeric_limits<double>::quiet_NaN());
    google::protobuf::Empty none;
    EXPECT_EQ(call(*workers_, &v1::Workers::Stub::ReturnTasks, agent_, back, none).error_code(),
              grpc::StatusCode::INVALID_ARGUMENT);
    back.set_time_limit_s(540);
    ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::ReturnTasks, agent_, back, none).ok());
    const std::string said = text();
    EXPECT_NE(said.find("; 1 worker came to the end of the time (540 s) before " +
                        pack.tasks(0).label() + " had a checkpoint, which fails after 5"),
              std::string::npos)
        << said;
    const v1::ClaimResponse again = claim();
    ASSERT_TRUE(complete(again.tasks(0), "result of " + again.tasks(0).label()).ok());
    for (int k = 1; k < pack.tasks_size(); ++k) {
        ASSERT_TRUE(complete(pack.tasks(k), "result of " + pack.tasks(k).label()).ok());
    }
    EXPECT_EQ(text(), "the dataset: about to be handed out");
    beat(claim(), 0.0, "collecting sources");
    EXPECT_EQ(text(), "package: collecting sources");
}

TEST_F(GoodCalls, LogsAreReadAfterTheEndAndByLaterJobs) {
    register_worker();
    const v1::Job job = submit();
    const v1::Task mesh = claim().tasks(0);
    EXPECT_TRUE(put_log(worker_, mesh.ref(), "7 tets\n").ok());
    EXPECT_EQ(told(put_log(store::make_uuid(), mesh.ref(), "of another worker\n")),
              rpc::kLeaseLost);
    v1::TaskRef stale = mesh.ref();
    stale.set_fence(stale.fence() + 1);
    EXPECT_EQ(told(put_log(worker_, stale, "of another attempt\n")), rpc::kLeaseLost);

    ASSERT_TRUE(complete(mesh, "mesh file").ok());

    EXPECT_EQ(log_of(job, "mesh"), "7 tets\n");
    batch_.set_name("again");
    EXPECT_EQ(log_of(submit(), "mesh"), "computed for an earlier job, whose log this is\n7 tets\n");
    EXPECT_EQ(log_of(job, "package"), "nothing yet: it waits for a worker or an earlier stage\n");
}

TEST_F(GoodCalls, TheLogOfAFailedStageSaysWhy) {
    register_worker();
    const v1::Job job = submit();
    const v1::Task mesh = claim().tasks(0);
    EXPECT_TRUE(put_log(worker_, mesh.ref(), "== attempt 1\n").ok());
    v1::FailRequest failure;
    failure.set_worker_id(worker_);
    *failure.mutable_ref() = mesh.ref();
    failure.set_error_class("InvalidArgument");
    failure.set_message("folded");
    google::protobuf::Empty nothing;

    ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Fail, agent_, failure, nothing).ok());

    EXPECT_EQ(log_of(job, "mesh", true), "== attempt 1\nfailed: InvalidArgument: folded\n");
    EXPECT_EQ(log_of(job, "s00d00/rake_0", true),  // never begun
              "failed: a stage that it needs failed: InvalidArgument: folded\n");
}

TEST_F(GoodCalls, PartialDatasetsAndSlices) {
    register_worker();
    const v1::Job job = submit();
    ASSERT_TRUE(complete(claim().tasks(0), "mesh file").ok());
    ASSERT_TRUE(complete(claim().tasks(1), "source").ok());
    v1::GetDatasetRequest get;
    get.set_name("datasets/" + id_of(job));
    get.set_allow_partial(true);
    v1::Dataset dataset;

    ASSERT_TRUE(call(*datasets_, &v1::Datasets::Stub::GetDataset, viewer_, get, dataset).ok());

    EXPECT_EQ(dataset.content_hash().size(), 64u);
    EXPECT_FALSE(dataset.complete());
    EXPECT_EQ(dataset.sources_done(), 1);
    EXPECT_EQ(dataset.sha256(), sha256_hex("s00d00/rake_90\n"));
    const auto slice = [&](std::int64_t start) {
        Call context(viewer_);
        v1::ReadSliceRequest request;
        request.set_dataset(dataset.name());
        request.mutable_sources()->set_start(start);
        const auto reader = data_->ReadSlice(&context, request);
        v1::ReadSliceResponse message;
        std::size_t n_values = 0;
        while (reader->Read(&message)) {
            n_values += static_cast<std::size_t>(message.values_size());
        }
        return std::pair(n_values, reader->Finish());
    };
    EXPECT_EQ(slice(0).first, 6U);
    EXPECT_EQ(slice(101).second.error_code(), grpc::StatusCode::OUT_OF_RANGE);
    EXPECT_EQ(told(slice(-1).second), "sources");
    compute_.slice_bytes = [] { return std::make_unique<std::istringstream>("too few"); };
    EXPECT_EQ(slice(0).second.error_code(), grpc::StatusCode::INTERNAL);
}

TEST_F(GoodCalls, ChunksCarryTheirChecksum) {
    const std::string text(600000, 'k');
    const auto upload = artifacts_.begin_put(sha256_hex(text), text.size());
    upload->write(0, std::as_bytes(std::span(text)));
    upload->commit();
    Call context(viewer_);
    v1::ReadArtifactRequest request;
    request.set_sha256(sha256_hex(text));
    request.set_read_offset(100000);
    const auto reader = data_->ReadArtifact(&context, request);
    v1::ReadArtifactResponse message;
    std::int64_t next = 100000;

    while (reader->Read(&message)) {
        EXPECT_EQ(message.offset(), next);
        EXPECT_LE(message.chunk().size(), 256U << 10U);
        EXPECT_EQ(message.crc32c(), crc32c(std::as_bytes(std::span(message.chunk()))));
        next += static_cast<std::int64_t>(message.chunk().size());
    }

    EXPECT_TRUE(reader->Finish().ok());
    EXPECT_EQ(next, 600000);
}

TEST_F(GoodCalls, LostResultFilesAreNotBelieved) {
    submit();
    run_everything();
    const auto mesh = artifacts_.list();
    for (const auto& artifact : mesh) {
        if (artifact.sha256 == sha256_hex("result of s00d00/rake_0")) {
            artifacts_.remove(artifact.sha256);
        }
    }

    const v1::Job again = submit();

    EXPECT_EQ(again.report().created(), 1);
    EXPECT_EQ(again.report().reused(), 3);
}

TEST_F(GoodCalls, AdminSeesWorkersAndCounts) {
    register_worker();
    submit();
    v1::ListWorkersResponse workers;
    v1::Stats stats;
    ASSERT_TRUE(
        call(*admins_, &v1::Admin::Stub::ListWorkers, viewer_, v1::ListWorkersRequest(), workers)
            .ok());
    ASSERT_TRUE(
        call(*admins_, &v1::Admin::Stub::GetStats, viewer_, v1::GetStatsRequest(), stats).ok());

    EXPECT_EQ(workers.workers(0).title(), "tester");
    EXPECT_EQ(workers.workers(0).state(), v1::Worker::IDLE);
    EXPECT_EQ(stats.tasks_ready(), 1);
    EXPECT_EQ(stats.tasks_blocked(), 3);
    EXPECT_EQ(stats.version(), "test");
    v1::DrainWorkerRequest drain;
    drain.set_name(workers.workers(0).name());
    v1::Worker draining;
    ASSERT_TRUE(call(*admins_, &v1::Admin::Stub::DrainWorker, admin_, drain, draining).ok());
    EXPECT_EQ(draining.state(), v1::Worker::DRAINING);
    EXPECT_EQ(claim().tasks_size(), 0);
}

TEST_F(GoodCalls, DrainingEndsCallsThatWait) {
    const v1::Job job = submit();
    Call context(viewer_);
    v1::WatchJobRequest request;
    request.set_name(job.name());
    const auto reader = jobs_->WatchJob(&context, request);
    v1::JobUpdate update;
    ASSERT_TRUE(reader->Read(&update));

    server_->drain();
    while (reader->Read(&update)) {
    }

    EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace kaname::service::good_calls_test
