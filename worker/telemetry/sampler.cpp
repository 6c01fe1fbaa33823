// SPDX-License-Identifier: BSD-3-Clause
#include "worker/telemetry/sampler.hpp"

#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

namespace kaname::telemetry {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kStale{30};
constexpr std::chrono::milliseconds kEndGrace{500};

}  // namespace

/// Outlives the sampler when its thread hangs.
struct Sampler::State {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<GpuReading> readings;
    std::map<std::string, std::vector<std::uint32_t>> new_xids;  ///< by UUID
    Clock::time_point at{};
    bool end = false, ended = false;
};

Sampler::Sampler(std::unique_ptr<GpuTelemetry> telemetry, std::chrono::milliseconds every)
    : state_(std::make_shared<State>()) {
    thread_ = std::thread([state = state_, source = std::move(telemetry), every] {
        std::unique_lock lock(state->mutex);
        while (!state->end) {
            lock.unlock();
            std::vector<GpuReading> readings = source->read();
            lock.lock();
            for (GpuReading& reading : readings) {
                std::vector<std::uint32_t>& xids = state->new_xids[reading.uuid];
                xids.insert(xids.end(), reading.new_xids.begin(), reading.new_xids.end());
                reading.new_xids.clear();
            }
            state->readings = std::move(readings);
            state->at = Clock::now();
            state->changed.wait_for(lock, every, [&] { return state->end; });
        }
        state->ended = true;
        state->changed.notify_all();
    });
}

Sampler::~Sampler() {
    bool ended = false;
    {
        std::unique_lock lock(state_->mutex);
        state_->end = true;
        state_->changed.notify_all();
        ended = state_->changed.wait_for(lock, kEndGrace, [&] { return state_->ended; });
    }
    if (ended) {
        thread_.join();
    } else {
        thread_.detach();
    }
}

std::vector<GpuReading> Sampler::take() {
    const std::lock_guard lock(state_->mutex);
    if (Clock::now() - state_->at > kStale) {
        return {};
    }
    std::vector<GpuReading> readings = state_->readings;
    for (GpuReading& reading : readings) {
        reading.new_xids = std::exchange(state_->new_xids[reading.uuid], {});
    }
    return readings;
}

}  // namespace kaname::telemetry
