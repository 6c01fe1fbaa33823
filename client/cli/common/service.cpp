// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/common/service.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>

#include "client/cli/common/progress.hpp"
#include "client/cli/common/text.hpp"
#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/process.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kUuid = 36;
constexpr std::size_t kShortest = 4;
constexpr int kMost = 1000;  // of a page

json job_dataset_json(const v1::Dataset& dataset) {
    return {{"sha256", dataset.sha256()},
            {"bytes", dataset.bytes()},
            {"complete", dataset.complete()},
            {"sources_done", dataset.sources_done()},
            {"sources", dataset.sources()}};
}

}  // namespace

void add_service_options(Command& command, ServiceOptions& options) {
    command.add_options(
        {{"--server", &options.server,
          "host:port or unix:/path; default: KANAME_SERVER, or the server of the "
          "state folder"},
         {"--ca", &options.ca, "PEM file: who vouches for a server over TLS; default: KANAME_CA"},
         {"--token", &options.token, "Default: KANAME_TOKEN, or that of the state folder"},
         {"--state", &options.state,
          "State folder of a server on this machine; default: KANAME_STATE"}});
}

client::ClientOptions interruptible() {
    client::ClientOptions how;
    how.check = throw_if_interrupted;
    how.cancelled = interrupted;
    return how;
}

std::unique_ptr<client::Client> open_client(const ServiceOptions& options) {
    return std::make_unique<client::Client>(
        client::find_endpoint(options.server, options.token, client::state_folder(options.state),
                              options.ca),
        interruptible());
}

std::string to_type(const Context& context, const ServiceOptions& options,
                    const std::string& command) {
    std::string text = context.program + " " + command;
    if (!options.server.empty()) {
        text += " --server " + shell_word(options.server);
    }
    if (!options.ca.empty()) {
        text += " --ca " + shell_word(options.ca);
    }
    if (!options.state.empty()) {
        text += " --state " + shell_word(client::state_folder(options.state).string());
    }
    return text;
}

std::string id_of(const std::string& name) {
    return name.substr(name.find('/') + 1);
}

std::string resolve_id(const std::string& text, const FindIds& find, const NamingTexts& texts) {
    const bool hexadecimal = text.find_first_not_of("0123456789abcdef-") == std::string::npos;
    if (hexadecimal && text.size() == kUuid) {
        return text;
    }
    if (text == "latest") {
        const auto newest = find("", 1);
        if (newest.empty()) {
            throw Error(ErrorCode::NotFound, texts.none);
        }
        return newest.front();
    }
    if (text.find('"') == std::string::npos) {
        const auto titled = find("title = \"" + text + '"', 1);
        if (!titled.empty()) {
            return titled.front();
        }
    }
    std::vector<std::string> found;
    if (hexadecimal && text.size() >= kShortest) {
        found = find("id = \"" + text + "*\"", kMost);
    }
    if (found.size() > 1) {
        throw Error(ErrorCode::InvalidArgument, texts.several + std::to_string(found.size()));
    }
    if (found.empty()) {
        throw Error(ErrorCode::NotFound, texts.unknown);
    }
    return found.front();
}

std::string resolve_job(client::Client& client, const std::string& text) {
    const auto find = [&](const std::string& filter, int limit) {
        const v1::ListJobsResponse page = client.list_jobs(filter, limit, "");
        std::vector<std::string> ids;
        for (const v1::Job& job : page.jobs()) {
            ids.push_back(id_of(job.name()));
        }
        return ids;
    };
    return resolve_id(
        text, find,
        {"there is no job yet", "JOB must name one job, \"" + text + "\" begins the ids of ",
         "no job \"" + text +
             "\": JOB is an id, its first characters (at least 4), a name, or latest"});
}

std::string state_text(v1::Job::State state) {
    std::string text = v1::Job::State_Name(state);
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::string state_text(v1::Item::State state) {
    std::string text = v1::Item::State_Name(state);
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::string state_text(v1::Worker::State state) {
    std::string text = v1::Worker::State_Name(state);
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

std::string counts_text(const v1::Job& job) {
    const v1::JobCounts& counts = job.counts();
    if (counts.sources() == 0) {
        return "none";
    }
    std::string text =
        format_count(counts.done()) + " of " + format_count(counts.sources()) + " done";
    if (counts.reused() > 0) {
        text += " (" + format_count(counts.reused()) + " computed before)";
    }
    if (counts.failed() > 0) {
        text += ", " + format_count(counts.failed()) + " failed";
    }
    if (counts.cancelled() > 0) {
        text += ", " + format_count(counts.cancelled()) + " cancelled";
    }
    return text;
}

std::string time_text(double unix_s) {
    const auto seconds = static_cast<std::time_t>(unix_s);
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
    return text;
}

json to_json(const v1::SubmitReport& report) {
    return {
        {"replayed", report.replayed()},
        {"created", report.created()},
        {"joined", report.joined()},
        {"reused", report.reused()},
        {"warnings", std::vector<std::string>(report.warnings().begin(), report.warnings().end())},
        {"estimate", json::parse(report::to_json(report.estimate()))}};
}

json to_json(const v1::Job& job) {
    const v1::JobCounts& counts = job.counts();
    json object = {{"id", id_of(job.name())},
                   {"title", job.title()},
                   {"owner", job.owner()},
                   {"state", state_text(job.state())},
                   {"priority", job.priority()},
                   {"counts",
                    {{"sources", counts.sources()},
                     {"done", counts.done()},
                     {"failed", counts.failed()},
                     {"cancelled", counts.cancelled()},
                     {"live", counts.live()},
                     {"reused", counts.reused()}}},
                   {"created_s", job.created_s()},
                   {"ended_s", job.ended_s()},
                   {"etag", job.etag()}};
    if (job.has_report()) {
        object["report"] = to_json(job.report());
    }
    if (job.has_dataset()) {
        object["dataset"] = job_dataset_json(job.dataset());
    }
    if (job.has_progress()) {
        object["progress"] = {{"fraction", job.progress().fraction()},
                              {"eta_s", job.progress().eta_s()},
                              {"text", job.progress().text()},
                              {"running", job.progress().running()},
                              {"waiting", job.progress().waiting()}};
    }
    return object;
}

json to_json(const v1::Item& item) {
    return {
        {"ordinal", item.ordinal()}, {"label", item.label()},   {"verb", item.verb()},
        {"source", item.source()},   {"reused", item.reused()}, {"state", state_text(item.state())},
        {"error", item.error()},     {"sha256", item.sha256()}, {"bytes", item.bytes()}};
}

json to_json(const v1::GpuStatus& gpu) {
    json object = {{"uuid", gpu.uuid()}, {"name", gpu.name()}};
    const auto add = [&](const char* key, bool known, auto value) {
        if (known) {
            object[key] = value;
        }
    };
    add("utilisation_ratio", gpu.has_utilisation_ratio(), gpu.utilisation_ratio());
    add("memory_used_bytes", gpu.has_memory_used_bytes(), gpu.memory_used_bytes());
    add("memory_total_bytes", gpu.has_memory_total_bytes(), gpu.memory_total_bytes());
    add("power_w", gpu.has_power_w(), gpu.power_w());
    add("temperature_c", gpu.has_temperature_c(), gpu.temperature_c());
    add("energy_j", gpu.has_energy_j(), gpu.energy_j());
    add("ecc_corrected", gpu.has_ecc_corrected(), gpu.ecc_corrected());
    add("ecc_uncorrected", gpu.has_ecc_uncorrected(), gpu.ecc_uncorrected());
    add("xid_errors", gpu.has_xid_errors(), gpu.xid_errors());
    if (gpu.has_remapped_rows()) {
        const auto& rows = gpu.remapped_rows();
        object["remapped_rows"] = {{"corrected", rows.corrected()},
                                   {"uncorrected", rows.uncorrected()},
                                   {"pending", rows.pending()},
                                   {"failed", rows.failed()}};
    }
    return object;
}

json to_json(const v1::Worker& worker) {
    json gpus = json::array();
    for (const v1::GpuStatus& gpu : worker.gpus()) {
        gpus.push_back(to_json(gpu));
    }
    return {{"id", id_of(worker.name())},
            {"title", worker.title()},
            {"host", worker.host()},
            {"gpus", gpus},
            {"version", worker.version()},
            {"ranks", worker.ranks()},
            {"threads", worker.threads()},
            {"state", state_text(worker.state())},
            {"heartbeat_age_s", worker.heartbeat_age_s()},
            {"running", worker.running()},
            {"text", worker.text()},
            {"reason", worker.reason()}};
}

json to_json(const v1::Room& room) {
    return {{"what", room.what()},
            {"folder", room.folder()},
            {"free_bytes", room.free_bytes()},
            {"total_bytes", room.total_bytes()},
            {"low_bytes", room.low_bytes()},
            {"paused", room.paused()}};
}

int exit_code_of(const v1::Job& job) {
    switch (job.state()) {
        case v1::Job::DONE:
            return run::kExitOk;
        case v1::Job::FAILED:
            return run::kExitSomeFailed;
        default:
            return run::kExitConflict;
    }
}

void print_json(const json& object) {
    std::cout << object.dump(2, ' ', false, json::error_handler_t::replace) << std::endl;
}

namespace {

constexpr std::size_t kTime = 21;  // "2026-01-31T23:59:59Z "
/// To give up a backup and remove what there is of it.
constexpr std::chrono::milliseconds kGrace{10000};

}  // namespace

std::filesystem::path server_program() {
    std::filesystem::path program = run::beside_this_program("kaname-server");
    if (!std::filesystem::exists(program)) {
        throw Error(ErrorCode::NotFound, "program " + program.string() +
                                             ": not found; kaname-server must lie in the folder "
                                             "of kaname");
    }
    return program;
}

ServerRun run_server(const std::vector<std::string>& arguments, const std::vector<int>& good,
                     const Context& context) {
    run::SpawnOptions how;
    how.argv = {server_program().string()};
    how.argv.insert(how.argv.end(), arguments.begin(), arguments.end());
    how.death_signal = SIGTERM;
    how.env["KANAME_LOG_FORMAT"] = std::nullopt;
    run::Process server(how);
    ServerRun told;
    std::string last;  // of its log, with the lines that belong to it
    while (server.read_lines(kServerPoll, [&](run::Source source, std::string_view line) {
        if (source == run::Source::Stderr) {
            const bool begins = line.size() > kTime && line[kTime - 2] == 'Z';
            last = begins ? std::string(line.substr(kTime)) : last + '\n' + std::string(line);
            return;
        }
        told.lines.emplace_back(line);
        if (!context.json) {
            std::cout << line << std::endl;
        }
    })) {
        try {
            throw_if_interrupted();
        } catch (...) {
            server.terminate(kGrace);
            throw;
        }
    }
    const run::ExitStatus status = server.wait();
    if (status.signal != 0 || std::ranges::count(good, status.code) == 0) {
        throw Error(run::error_of_exit(status.code),
                    last.empty() ? "kaname-server ended with " + status.text() : last);
    }
    told.exit_code = status.code;
    return told;
}

}  // namespace kaname::cli
