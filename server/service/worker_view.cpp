// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>

#include "server/service/views.hpp"

namespace kaname::service {

v1::Worker to_message(const Context& context, const store::WorkerInfo& info) {
    v1::Worker worker;
    worker.set_name("workers/" + info.spec.worker_id);
    worker.set_title(info.spec.name);
    worker.set_host(info.spec.host);
    worker.set_version(info.spec.version);
    worker.set_ranks(info.spec.ranks);
    worker.set_threads(info.spec.threads);
    const bool drained = info.draining || !info.drain.empty();
    const GpuBoard::Entry told = context.gpus.of(info.spec.worker_id);
    worker.set_state(info.gone                 ? v1::Worker::LEFT
                     : info.lost               ? v1::Worker::LOST
                     : drained                 ? v1::Worker::DRAINING
                     : !info.cordon.empty()    ? v1::Worker::CORDONED
                     : !told.not_ready.empty() ? v1::Worker::NOT_READY
                     : info.n_running > 0      ? v1::Worker::BUSY
                                               : v1::Worker::IDLE);
    worker.set_reason(!info.drain.empty()    ? "drained by an operator: " + info.drain
                      : !info.cordon.empty() ? info.cordon
                                             : told.not_ready);
    for (const std::string& uuid : info.spec.gpu_uuids) {
        const auto status = std::ranges::find(told.gpus, uuid, &v1::GpuStatus::uuid);
        v1::GpuStatus& gpu = *worker.add_gpus();
        if (status != told.gpus.end()) {
            gpu = *status;
        }
        gpu.set_uuid(uuid);
    }
    worker.set_heartbeat_age_s(info.heartbeat_age_s);
    worker.set_running(info.n_running);
    worker.set_text(context.board.text_of(info.spec.worker_id));
    return worker;
}

std::string state_name(v1::Worker::State state) {
    std::string name = v1::Worker::State_Name(state);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name;
}

}  // namespace kaname::service
