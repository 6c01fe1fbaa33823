// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/stages/gpu_probe.hpp"

#include "proto/report/report.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname::agent {

v1::ProbeReport probe_gpus(const StageOptions& options, std::chrono::seconds limit,
                           const std::function<bool()>& stop,
                           const std::function<void(const std::string&)>& log) {
    HangWatch watch(limit);
    const run::ComputeRunner compute(options.compute, [&] {
        if (stop()) {
            throw Stopped();
        }
        watch.check();
    });
    run::VerbCall call;
    call.arguments = {"probe", "--device", options.device, "--ranks",
                      std::to_string(options.ranks.n)};
    call.on_log = log;
    return report::parse<v1::ProbeReport>(compute.run(call).json, "kaname-compute probe");
}

}  // namespace kaname::agent
