// SPDX-License-Identifier: BSD-3-Clause
// The agent's GPUs: probed before it claims anything, and again after a fault.
#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "worker/agent/agent.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname::agent {

void Agent::set_not_ready(const std::string& why) {
    const std::lock_guard lock(mutex_);
    not_ready_ = why;
}

std::string Agent::not_ready() const {
    const std::lock_guard lock(mutex_);
    return not_ready_;
}

bool Agent::probe() {
    if (options_.device == "cpu") {
        gpus_.probed({});
        return true;
    }
    close_session();  // its ranks hold the GPUs
    HangWatch watch(options_.probe_limit);
    const run::ComputeRunner compute(options_.compute, [&] {
        if (stop_) {
            throw Stopped();
        }
        watch.check();
    });
    run::VerbCall call;
    call.arguments = {"probe", "--device", options_.device, "--ranks",
                      std::to_string(options_.ranks)};
    call.on_log = log_;
    std::vector<std::string> uuids;
    std::string reason;
    try {
        const auto found =
            report::parse<v1::ProbeReport>(compute.run(call).json, "kaname-compute probe");
        for (const v1::ProbeReport::Gpu& gpu : found.gpus()) {
            uuids.push_back(gpu.uuid());
        }
        reason = found.reason();
    } catch (const Stopped&) {
        throw;
    } catch (const std::exception& error) {  // also where the result is none
        log_(std::string("not ready: ") + error.what());
        set_not_ready(error.what());
        return false;
    }
    if (uuids != gpus_.gpus()) {
        send_registration(uuids);
    }
    gpus_.probed(uuids);
    set_not_ready("");
    log_(uuids.empty() ? "ready; solves run on the CPU: " + reason
                       : "ready with " + std::to_string(uuids.size()) + " GPUs");
    return true;
}

}  // namespace kaname::agent
