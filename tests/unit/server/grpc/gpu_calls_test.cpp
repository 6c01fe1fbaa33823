// SPDX-License-Identifier: BSD-3-Clause
// Workers report their GPUs, and operators see them.
#include "proto/reason/reasoned_error.hpp"
#include "server/service/workers/gpu_board.hpp"
#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::gpu_calls_test {
namespace {

const std::string kGpu = "GPU-aaaaaaaa-0000-0000-0000-000000000000";

class GpuCalls : public ApiTest {
protected:
    grpc::Status register_with(const std::string& gpu) {
        v1::RegisterRequest request;
        request.set_worker_id(worker_);
        request.set_ranks(1);
        request.set_threads(1);
        request.add_gpu_uuids(gpu);
        v1::RegisterResponse reply;
        return call(*workers_, &v1::Workers::Stub::Register, agent_, request, reply);
    }
    v1::HeartbeatRequest beat_of() const {
        v1::HeartbeatRequest beat;
        beat.set_worker_id(worker_);
        return beat;
    }
    v1::HeartbeatResponse send(const v1::HeartbeatRequest& beat) {
        v1::HeartbeatResponse reply;
        const grpc::Status status =
            call(*workers_, &v1::Workers::Stub::Heartbeat, agent_, beat, reply);
        EXPECT_TRUE(status.ok()) << status.error_message();
        return reply;
    }
    v1::HeartbeatResponse tell_fault(const std::string& reason) {
        v1::HeartbeatRequest beat = beat_of();
        v1::GpuFault& fault = *beat.add_faults();
        fault.set_fault_id(store::make_uuid());
        fault.set_gpu_uuid(kGpu);
        fault.set_reason(reason);
        return send(beat);
    }
    v1::Worker listed() {
        v1::ListWorkersResponse workers;
        EXPECT_TRUE(call(*admins_, &v1::Admin::Stub::ListWorkers, viewer_, v1::ListWorkersRequest(),
                         workers)
                        .ok());
        return workers.workers(0);
    }
};

TEST_F(GpuCalls, TelemetryOfAHeartbeatIsListed) {
    ASSERT_TRUE(register_with(kGpu).ok());
    EXPECT_EQ(listed().gpus(0).uuid(), kGpu);
    EXPECT_FALSE(listed().gpus(0).has_power_w());
    v1::HeartbeatRequest beat = beat_of();
    v1::GpuStatus& gpu = *beat.add_gpus();
    gpu.set_uuid(kGpu);
    gpu.set_name("Fake H200");
    gpu.set_power_w(412.5);

    send(beat);

    ASSERT_EQ(listed().gpus_size(), 1);
    EXPECT_EQ(listed().gpus(0).name(), "Fake H200");
    EXPECT_EQ(listed().gpus(0).power_w(), 412.5);
    EXPECT_FALSE(listed().gpus(0).has_temperature_c());
}

TEST_F(GpuCalls, AWorkerThatIsNotReadySaysWhy) {
    ASSERT_TRUE(register_with(kGpu).ok());
    v1::HeartbeatRequest beat = beat_of();
    beat.set_not_ready("probe kernel: wrong answer");

    send(beat);

    EXPECT_EQ(listed().state(), v1::Worker::NOT_READY);
    EXPECT_EQ(listed().reason(), "probe kernel: wrong answer");
    send(beat_of());
    EXPECT_EQ(listed().state(), v1::Worker::IDLE);
}

TEST_F(GpuCalls, TheThirdFaultCordonsAndAnOperatorLiftsIt) {
    submit();
    ASSERT_TRUE(register_with(kGpu).ok());
    EXPECT_EQ(tell_fault("XID 79").cordoned(), "");
    EXPECT_EQ(tell_fault("XID 79").cordoned(), "");

    const v1::HeartbeatResponse third = tell_fault("spmv: cudaErrorECCUncorrectable");

    EXPECT_NE(third.cordoned().find("the last: spmv: cudaErrorECCUncorrectable"),
              std::string::npos);
    EXPECT_FALSE(third.draining());
    EXPECT_EQ(listed().state(), v1::Worker::CORDONED);
    EXPECT_EQ(listed().reason(), third.cordoned());
    EXPECT_EQ(claim().tasks_size(), 0);
    v1::UncordonGpuRequest lift;
    lift.set_gpu_uuid(kGpu);
    v1::UncordonGpuResponse nothing;
    EXPECT_EQ(told(call(*admins_, &v1::Admin::Stub::UncordonGpu, user_, lift, nothing)),
              rpc::kRoleTooLow);
    ASSERT_TRUE(call(*admins_, &v1::Admin::Stub::UncordonGpu, admin_, lift, nothing).ok());
    EXPECT_EQ(listed().state(), v1::Worker::IDLE);
    EXPECT_EQ(claim().tasks_size(), 1);
    EXPECT_EQ(told(call(*admins_, &v1::Admin::Stub::UncordonGpu, admin_, lift, nothing)),
              "NotFound");
}

TEST_F(GpuCalls, AnOperatorsCordonHasAReasonAndHoldsForTheGpu) {
    submit();
    ASSERT_TRUE(register_with(kGpu).ok());
    v1::SetCordonRequest request;
    v1::SetCordonResponse nothing;
    EXPECT_EQ(told(call(*admins_, &v1::Admin::Stub::SetCordon, admin_, request, nothing)),
              "cordon");
    request.mutable_cordon()->set_gpu_uuid(kGpu);
    request.mutable_cordon()->set_reason(std::string(1001, 'x'));
    EXPECT_EQ(told(call(*admins_, &v1::Admin::Stub::SetCordon, admin_, request, nothing)),
              "cordon.reason");
    request.mutable_cordon()->set_reason("slow\nmemory");
    EXPECT_EQ(told(call(*admins_, &v1::Admin::Stub::SetCordon, user_, request, nothing)),
              rpc::kRoleTooLow);
    ASSERT_TRUE(call(*admins_, &v1::Admin::Stub::SetCordon, admin_, request, nothing).ok());

    EXPECT_EQ(listed().state(), v1::Worker::CORDONED);
    EXPECT_NE(listed().reason().find(": slow memory"), std::string::npos) << listed().reason();
    EXPECT_EQ(claim().tasks_size(), 0);
    v1::ListCordonsResponse cordons;
    ASSERT_TRUE(
        call(*admins_, &v1::Admin::Stub::ListCordons, viewer_, v1::ListCordonsRequest(), cordons)
            .ok());
    ASSERT_EQ(cordons.cordons_size(), 1);
    EXPECT_EQ(cordons.cordons(0).gpu_uuid(), kGpu);
    EXPECT_FALSE(cordons.cordons(0).by().empty());
    request.set_lift(true);
    ASSERT_TRUE(call(*admins_, &v1::Admin::Stub::SetCordon, admin_, request, nothing).ok());
    EXPECT_EQ(claim().tasks_size(), 1);
}

TEST_F(GpuCalls, TheHistoryHasReadingsFaultsAndCordon) {
    ASSERT_TRUE(register_with(kGpu).ok());
    v1::HeartbeatRequest beat = beat_of();
    v1::GpuStatus& gpu = *beat.add_gpus();
    gpu.set_uuid(kGpu);
    gpu.set_power_w(412.5);
    gpu.set_xid_errors(2);
    send(beat);
    for (int k = 0; k < 3; ++k) {
        tell_fault("XID 79");
    }
    v1::ListGpuHistoryResponse history;
    ASSERT_TRUE(call(*admins_, &v1::Admin::Stub::ListGpuHistory, viewer_,
                     v1::ListGpuHistoryRequest(), history)
                    .ok());

    ASSERT_EQ(history.gpus_size(), 1);
    const v1::GpuHistory& told = history.gpus(0);
    EXPECT_EQ(told.status().uuid(), kGpu);
    EXPECT_EQ(told.status().xid_errors(), 2U);
    EXPECT_EQ(told.power_w(told.power_w_size() - 1), 412.5F);
    EXPECT_EQ(told.utilisation_ratio(told.utilisation_ratio_size() - 1), -1.0F);
    EXPECT_EQ(told.faults_size(), 3);
    EXPECT_EQ(told.cordon().by(), "");
    EXPECT_EQ(told.worker(), "workers/" + worker_);
}

TEST_F(GpuCalls, CallsAndAttemptsAreCounted) {
    submit();
    ASSERT_TRUE(register_with(kGpu).ok());
    const v1::ClaimResponse claimed = claim();
    ASSERT_EQ(claimed.tasks_size(), 1);
    EXPECT_EQ(claimed.tasks(0).traceparent().size(), 55U);
    EXPECT_EQ(claimed.tasks(0).job().size(), 36U);
    v1::FailRequest failed;
    failed.set_worker_id(worker_);
    *failed.mutable_ref() = claimed.tasks(0).ref();
    failed.set_error_class("NotConverged");
    google::protobuf::Empty nothing;
    ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Fail, agent_, failed, nothing).ok());

    const std::string page = server_->metrics();

    for (const char* line :
         {"kaname_grpc_requests_total{method=\"kaname.v1.Workers/Fail\",code=\"OK\"} 1\n",
          "kaname_grpc_request_seconds_count{method=\"kaname.v1.Workers/Fail\"} 1\n",
          "kaname_grpc_requests_total{method=\"kaname.v1.Workers/Claim\",code=\"OK\"} 1\n",
          "kaname_task_attempts_total{outcome=\"failed\",reason=\"NotConverged\"} 1\n",
          "kaname_task_wait_seconds_count{verb=\"mesh\"} 1\n"}) {
        EXPECT_NE(page.find(line), std::string::npos) << line << "is not in\n" << page;
    }
    v1::Stats stats;
    ASSERT_TRUE(
        call(*admins_, &v1::Admin::Stub::GetStats, viewer_, v1::GetStatsRequest(), stats).ok());
    ASSERT_EQ(stats.last_failures_size(), 1);
    EXPECT_EQ(stats.last_failures(0).label(), "mesh");
    EXPECT_EQ(stats.last_failures(0).job(), "jobs/" + claimed.tasks(0).job());
}

TEST_F(GpuCalls, NamesThatAreNoGpusAreRefused) {
    EXPECT_EQ(told(register_with("")), "gpu_uuids");
    EXPECT_EQ(told(register_with("GPU-a,GPU-b")), "gpu_uuids");
    ASSERT_TRUE(register_with(kGpu).ok());
    v1::HeartbeatRequest beat = beat_of();
    v1::GpuFault& fault = *beat.add_faults();
    fault.set_fault_id("1");
    fault.set_gpu_uuid(kGpu);
    v1::HeartbeatResponse reply;

    EXPECT_EQ(told(call(*workers_, &v1::Workers::Stub::Heartbeat, agent_, beat, reply)),
              "faults.fault_id");
}

TEST_F(GpuCalls, MetricsNameGpusAndLeaveOutWhatIsUnknown) {
    submit();
    ASSERT_TRUE(register_with(kGpu).ok());
    v1::HeartbeatRequest beat = beat_of();
    v1::GpuStatus& gpu = *beat.add_gpus();
    gpu.set_uuid(kGpu);
    gpu.set_name("Fake \"H200\"");
    gpu.set_utilisation_ratio(0.73);
    gpu.set_memory_used_bytes(10000000000);
    gpu.set_ecc_uncorrected(1);
    gpu.mutable_remapped_rows()->set_failed(true);
    send(beat);

    const std::string page = server_->metrics();

    const std::string label = "{gpu=\"" + kGpu + "\"";
    for (const std::string& line :
         {std::string("# TYPE kaname_tasks gauge\n"),
          std::string("kaname_tasks{state=\"ready\"} 1\n"),
          std::string("kaname_workers{state=\"idle\"} 1\n"),
          std::string("kaname_workers{state=\"cordoned\"} 0\n"),
          "kaname_gpu_info" + label + ",name=\"Fake \\\"H200\\\"\"} 1\n",
          "kaname_gpu_utilization_ratio" + label + "} 0.73\n",
          "kaname_gpu_memory_used_bytes" + label + "} 1e+10\n",
          "kaname_gpu_ecc_errors_total" + label + ",kind=\"uncorrected\"} 1\n",
          "kaname_gpu_remapped_rows" + label + ",kind=\"corrected\"} 0\n",
          "kaname_gpu_row_remap_failed" + label + "} 1\n"}) {
        EXPECT_NE(page.find(line), std::string::npos) << line << "is not in\n" << page;
    }
    for (const char* absent : {"power_watts", "temperature", "xid", "kind=\"corrected\"} 5"}) {
        EXPECT_EQ(page.find(absent), std::string::npos) << absent;
    }
}

TEST(GpuBoard, SilentWorkersAreLeftOutAndSharedGpusTakeTheLatestWord) {
    GpuBoard::Clock::time_point now{};
    GpuBoard board([&] { return now; });
    const auto beat = [&](const std::string& worker, double power_w) {
        v1::HeartbeatRequest request;
        v1::GpuStatus& gpu = *request.add_gpus();
        gpu.set_uuid(kGpu);
        gpu.set_power_w(power_w);
        board.set(worker, request);
    };
    beat("b", 100.0);
    now += std::chrono::seconds(30);
    beat("a", 200.0);

    ASSERT_EQ(board.recent().size(), 1U);
    EXPECT_EQ(board.recent()[0].power_w(), 200.0);
    now += std::chrono::seconds(31);
    EXPECT_TRUE(board.of("b").gpus.empty());
    EXPECT_EQ(board.of("a").gpus.size(), 1U);
    now += std::chrono::seconds(30);
    EXPECT_TRUE(board.recent().empty());
}

}  // namespace
}  // namespace kaname::service::gpu_calls_test
