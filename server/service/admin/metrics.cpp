// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/admin/metrics.hpp"

#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "server/service/views.hpp"

namespace kaname::service {
namespace {

void add_service(std::string& out, const Context& context) {
    const store::TaskCounts counts = context.store.count_tasks();
    Metric tasks(out, "kaname_tasks", "gauge", "Tasks that have not ended");
    tasks.add("state=\"blocked\"", static_cast<double>(counts.blocked));
    tasks.add("state=\"ready\"", static_cast<double>(counts.ready));
    tasks.add("state=\"running\"", static_cast<double>(counts.running));
    tasks.add("state=\"held\"", static_cast<double>(counts.held));
    Metric(out, "kaname_oldest_ready_age_seconds", "gauge",
           "Of the task that could start and has waited longest; 0: none")
        .add("", context.store.oldest_ready_age_s());
    Metric(out, "kaname_jobs_active", "gauge", "Jobs that have not ended")
        .add("", static_cast<double>(context.store.count_active_jobs()));
    std::map<std::string, int> states = {{"busy", 0}, {"cordoned", 0}, {"draining", 0}, {"idle", 0},
                                         {"left", 0}, {"lost", 0},     {"not_ready", 0}};
    for (const store::WorkerInfo& info : context.store.list_workers()) {
        ++states.at(state_name(to_message(context, info).state()));
    }
    Metric workers(out, "kaname_workers", "gauge", "Workers; lost ones for an hour");
    for (const auto& [state, count] : states) {
        workers.add("state=\"" + state + '"', count);
    }
    Metric(out, "kaname_fenced_completions_total", "counter", "Results that came too late to count")
        .add("", static_cast<double>(context.n_fenced));
    Metric(out, "kaname_returned_tasks_total", "counter", "Tasks that workers gave back unfinished")
        .add("", static_cast<double>(context.n_returned));
    if (context.options.room != nullptr) {
        const auto rooms = context.options.room->folders();
        Metric free(out, "kaname_free_bytes", "gauge", "Free where the server stores things");
        for (const space::FolderSpace& room : rooms) {
            free.add("folder=" + quoted(room.what), static_cast<double>(room.free));
        }
        Metric low(out, "kaname_low_watermark_bytes", "gauge", "With less free nothing new begins");
        for (const space::FolderSpace& room : rooms) {
            low.add("folder=" + quoted(room.what), static_cast<double>(room.low));
        }
        Metric(out, "kaname_paused", "gauge", "1: no task starts for want of room")
            .add("", shortage(context).empty() ? 0 : 1);
    }
    Metric(out, "kaname_uptime_seconds", "gauge", "Since this server started")
        .add("", std::chrono::duration<double>(std::chrono::steady_clock::now() - context.started)
                     .count());
}

/// Worker jobs of batch systems, as the store has them.
void add_dispatches(std::string& out, Context& context) {
    constexpr double kDay_s = 86400;
    const auto dispatches = context.store.list_dispatches("", kDay_s);
    std::map<std::pair<std::string, std::string>, int> counts;
    std::map<std::string, int> failing;
    for (const store::Dispatch& dispatch : dispatches) {
        const bool ended = dispatch.state == store::DispatchState::Ended;
        ++counts[{dispatch.pool, std::string(ended ? to_string(outcome_of(dispatch))
                                                   : to_string(dispatch.state))}];
        failing[dispatch.pool] = 0;
    }
    for (const store::FailingPool& pool : store::failing_pools(dispatches)) {
        failing[pool.pool] = pool.n_in_a_row;
    }
    Metric jobs(
        out, "kaname_dispatches", "gauge",
        "Worker jobs of a batch system: those that have not ended, and those of the last day");
    for (const auto& [which, n] : counts) {
        jobs.add("pool=" + quoted(which.first) + ",outcome=" + quoted(which.second), n);
    }
    Metric in_a_row(out, "kaname_dispatches_failed_in_a_row", "gauge",
                    "Worker jobs of a pool that failed since the last one that worked");
    if (failing.empty()) {
        failing[""] = 0;  // an alert finds its metric where there is no pool, too
    }
    for (const auto& [pool, n] : failing) {
        in_a_row.add("pool=" + quoted(pool), n);
    }
}

/// Adds the counts and measurements of this server.
void add_meters(std::string& out, const Meters& meters) {
    const Meters::Readings read = meters.read();
    Metric calls(out, "kaname_grpc_requests_total", "counter",
                 "Calls that ended, by method and code");
    for (const auto& [which, n] : read.calls) {
        calls.add("method=" + quoted(which.first) + ",code=" + quoted(which.second),
                  static_cast<double>(n));
    }
    Metric call_s(out, "kaname_grpc_request_seconds", "histogram",
                  "Time of calls with one answer, of Claim with what it waits for work");
    for (const auto& [method, times] : read.call_s) {
        if (times.n > 0) {
            call_s.add("method=" + quoted(method), Meters::kRpcBounds_s, times);
        }
    }
    Metric waits(out, "kaname_task_wait_seconds", "histogram",
                 "From when a task could start until a worker got it");
    for (const auto& [verb, times] : read.wait_s) {
        waits.add("verb=" + quoted(verb), Meters::kTaskBounds_s, times);
    }
    Metric stages(out, "kaname_stage_seconds", "histogram",
                  "Of attempts that were done, from the claim to the result");
    for (const auto& [verb, times] : read.stage_s) {
        stages.add("verb=" + quoted(verb), Meters::kTaskBounds_s, times);
    }
    Metric(out, "kaname_pack_fill_ratio", "histogram", "Tasks of a pack, of the most it may have")
        .add("", Meters::kFillBounds, read.fill);
    Metric attempts(out, "kaname_task_attempts_total", "counter", "Attempts that ended");
    for (const char* outcome : {"done", "failed", "fenced", "lost", "returned"}) {
        if (!read.attempts.contains({outcome, ""})) {
            attempts.add(std::string("outcome=\"") + outcome + "\",reason=\"\"", 0);
        }
    }
    for (const auto& [which, n] : read.attempts) {
        attempts.add("outcome=" + quoted(which.first) + ",reason=" + quoted(which.second),
                     static_cast<double>(n));
    }
    Metric(out, "kaname_sources_total", "counter", "Sources computed")
        .add("", static_cast<double>(read.sources));
}

void add_database_gauges(std::string& out, const store::DatabaseState& state) {
    const auto gauge = [&](const char* name, const char* help, double value) {
        Metric(out, name, "gauge", help).add("", value);
    };
    gauge("kaname_db_size_bytes", "Of the database's files", static_cast<double>(state.bytes));
    gauge("kaname_db_live_tuples", "Rows of all tables, as their statistics say",
          static_cast<double>(state.live_tuples));
    gauge("kaname_db_dead_tuples", "Row versions that vacuum has not removed",
          static_cast<double>(state.dead_tuples));
    if (!std::isnan(state.oldest_xmin_age_s)) {
        gauge("kaname_db_oldest_xmin_age_seconds",
              "Of the oldest transaction that keeps vacuum from removing rows; 0: none; absent: "
              "not known yet",
              state.oldest_xmin_age_s);
    }
    gauge("kaname_db_connections", "Sessions of the database",
          static_cast<double>(state.connections));
}

/// One metric of all GPUs; `get` adds lines with the labels it is given.
template <class Get>
void add_gpus(std::string& out, const std::vector<v1::GpuStatus>& gpus, const char* name,
              const char* type, const char* help, const Get& get) {
    Metric metric(out, name, type, help);
    for (const v1::GpuStatus& gpu : gpus) {
        get(metric, gpu, "gpu=" + quoted(gpu.uuid()));
    }
}

}  // namespace

std::string metrics_text(Context& context) {
    using Gpu = v1::GpuStatus;
    using Labels = std::string;
    std::string out;
    add_service(out, context);
    add_dispatches(out, context);
    add_meters(out, context.meters);
    add_database_gauges(out, context.database.read());
    const std::vector<Gpu> gpus = context.gpus.recent();
    add_gpus(out, gpus, "kaname_gpu_info", "gauge", "1; the GPU's name",
             [](Metric& metric, const Gpu& gpu, const Labels& labels) {
                 metric.add(labels + ",name=" + quoted(gpu.name()), 1);
             });
    const auto add_one = [&](const char* name, const char* type, const char* help, auto has,
                             auto get) {
        add_gpus(out, gpus, name, type, help,
                 [&](Metric& metric, const Gpu& gpu, const Labels& labels) {
                     if ((gpu.*has)()) {
                         metric.add(labels, static_cast<double>((gpu.*get)()));
                     }
                 });
    };
    add_one("kaname_gpu_utilization_ratio", "gauge", "Time with a kernel running, 0..1",
            &Gpu::has_utilisation_ratio, &Gpu::utilisation_ratio);
    add_one("kaname_gpu_memory_used_bytes", "gauge", "Memory in use", &Gpu::has_memory_used_bytes,
            &Gpu::memory_used_bytes);
    add_one("kaname_gpu_memory_total_bytes", "gauge", "Memory", &Gpu::has_memory_total_bytes,
            &Gpu::memory_total_bytes);
    add_one("kaname_gpu_power_watts", "gauge", "Power drawn", &Gpu::has_power_w, &Gpu::power_w);
    add_one("kaname_gpu_temperature_celsius", "gauge", "Temperature of the chip",
            &Gpu::has_temperature_c, &Gpu::temperature_c);
    add_one("kaname_gpu_energy_joules_total", "counter", "Energy since the driver was loaded",
            &Gpu::has_energy_j, &Gpu::energy_j);
    add_one("kaname_gpu_xid_errors_total", "counter", "XID errors since the worker started",
            &Gpu::has_xid_errors, &Gpu::xid_errors);
    add_gpus(out, gpus, "kaname_gpu_ecc_errors_total", "counter",
             "Memory errors since the driver was loaded",
             [](Metric& metric, const Gpu& gpu, const Labels& labels) {
                 if (gpu.has_ecc_corrected()) {
                     metric.add(labels + ",kind=\"corrected\"",
                                static_cast<double>(gpu.ecc_corrected()));
                 }
                 if (gpu.has_ecc_uncorrected()) {
                     metric.add(labels + ",kind=\"uncorrected\"",
                                static_cast<double>(gpu.ecc_uncorrected()));
                 }
             });
    add_gpus(out, gpus, "kaname_gpu_remapped_rows", "gauge", "Memory rows replaced by spare ones",
             [](Metric& metric, const Gpu& gpu, const Labels& labels) {
                 if (gpu.has_remapped_rows()) {
                     metric.add(labels + ",kind=\"corrected\"", gpu.remapped_rows().corrected());
                     metric.add(labels + ",kind=\"uncorrected\"",
                                gpu.remapped_rows().uncorrected());
                 }
             });
    add_gpus(out, gpus, "kaname_gpu_row_remap_pending", "gauge", "1: at the GPU's next reset",
             [](Metric& metric, const Gpu& gpu, const Labels& labels) {
                 if (gpu.has_remapped_rows()) {
                     metric.add(labels, gpu.remapped_rows().pending());
                 }
             });
    add_gpus(out, gpus, "kaname_gpu_row_remap_failed", "gauge", "1: no spare row was left",
             [](Metric& metric, const Gpu& gpu, const Labels& labels) {
                 if (gpu.has_remapped_rows()) {
                     metric.add(labels, gpu.remapped_rows().failed());
                 }
             });
    return out;
}

namespace {

std::string number(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string braced(const std::string& labels) {
    return labels.empty() ? "" : "{" + labels + "}";
}

}  // namespace

std::string quoted(const std::string& value) {
    std::string text = "\"";
    for (const char c : value) {
        if (c == '\n') {
            text += "\\n";
        } else {
            text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
        }
    }
    return text + '"';
}

void Metric::write_head() {
    if (!has_head_) {
        out_ += "# HELP " + name_ + " " + help_ + "\n# TYPE " + name_ + " " + type_ + "\n";
        has_head_ = true;
    }
}

void Metric::add(const std::string& labels, double value) {
    write_head();
    out_ += name_ + braced(labels) + " " + number(value) + "\n";
}

void Metric::add(const std::string& labels, std::span<const double> bounds, const Histogram& read) {
    write_head();
    const std::string before = labels.empty() ? "" : labels + ",";
    for (std::size_t k = 0; k < bounds.size(); ++k) {
        const std::int64_t n = k < read.at_most.size() ? read.at_most[k] : 0;
        out_ += name_ + "_bucket{" + before + "le=\"" + number(bounds[k]) + "\"} " +
                std::to_string(n) + "\n";
    }
    out_ += name_ + "_bucket{" + before + "le=\"+Inf\"} " + std::to_string(read.n) + "\n" + name_ +
            "_sum" + braced(labels) + " " + number(read.sum) + "\n" + name_ + "_count" +
            braced(labels) + " " + std::to_string(read.n) + "\n";
}

}  // namespace kaname::service
