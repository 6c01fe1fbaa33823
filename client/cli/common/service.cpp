// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/common/service.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <set>
#include <sstream>

#include <google/protobuf/descriptor.h>

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

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

/// `index`: of an entry of a list; less than 0: the field is none.
json field_value(const Message& message, const FieldDescriptor* field, int index) {
    const Reflection& reflection = *message.GetReflection();
    const auto get = [&](auto single, auto repeated) {
        return index < 0 ? json((reflection.*single)(message, field))
                         : json((reflection.*repeated)(message, field, index));
    };
    switch (field->cpp_type()) {
        case FieldDescriptor::CPPTYPE_INT32:
            return get(&Reflection::GetInt32, &Reflection::GetRepeatedInt32);
        case FieldDescriptor::CPPTYPE_INT64:
            return get(&Reflection::GetInt64, &Reflection::GetRepeatedInt64);
        case FieldDescriptor::CPPTYPE_UINT32:
            return get(&Reflection::GetUInt32, &Reflection::GetRepeatedUInt32);
        case FieldDescriptor::CPPTYPE_UINT64:
            return get(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64);
        case FieldDescriptor::CPPTYPE_DOUBLE:
            return get(&Reflection::GetDouble, &Reflection::GetRepeatedDouble);
        case FieldDescriptor::CPPTYPE_FLOAT:
            return get(&Reflection::GetFloat, &Reflection::GetRepeatedFloat);
        case FieldDescriptor::CPPTYPE_BOOL:
            return get(&Reflection::GetBool, &Reflection::GetRepeatedBool);
        case FieldDescriptor::CPPTYPE_STRING:
            return get(&Reflection::GetString, &Reflection::GetRepeatedString);
        case FieldDescriptor::CPPTYPE_ENUM:
            return lower(index < 0 ? reflection.GetEnum(message, field)->name()
                                   : reflection.GetRepeatedEnum(message, field, index)->name());
        default:
            return json_of(index < 0 ? reflection.GetMessage(message, field)
                                     : reflection.GetRepeatedMessage(message, field, index));
    }
}

json field_json(const Message& message, const FieldDescriptor* field) {
    if (!field->is_repeated()) {
        return field_value(message, field, -1);
    }
    json list = json::array();
    for (int k = 0; k < message.GetReflection()->FieldSize(message, field); ++k) {
        list.push_back(field_value(message, field, k));
    }
    return list;
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

std::string word_of(const google::protobuf::EnumDescriptor* choices, int number) {
    const auto* choice = choices->FindValueByNumber(number);
    return choice == nullptr ? "" : lower(choice->name());
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

json json_of(const Message& message, const std::string& fields) {
    const auto* type = message.GetDescriptor();
    json object = json::object();
    std::set<const FieldDescriptor*> named;
    bool rest = false;
    std::istringstream words(fields);
    for (std::string word; words >> word;) {
        if (word == "*") {
            rest = true;
            continue;
        }
        const bool left_out = word.front() == '-';
        const std::size_t mark = word.find_first_of("=@");
        const FieldDescriptor* field = type->FindFieldByName(
            word.substr(left_out ? 1 : 0, left_out ? std::string::npos : mark));
        if (field == nullptr) {
            throw Error(ErrorCode::Internal, type->full_name() + " has no field " + word);
        }
        named.insert(field);
        if (!left_out) {
            json& value = object[mark == std::string::npos ? word : word.substr(mark + 1)];
            value = field_json(message, field);
            if (mark != std::string::npos && word[mark] == '@') {
                value = id_of(value.get<std::string>());
            }
        }
    }
    for (int k = 0; rest && k < type->field_count(); ++k) {
        const FieldDescriptor* field = type->field(k);
        const bool unset =
            field->has_presence() && !message.GetReflection()->HasField(message, field);
        if (!unset && !named.contains(field)) {
            object[field->name()] = field_json(message, field);
        }
    }
    return object;
}

json submit_json(const v1::SubmitReport& report) {
    json object = json_of(report, "* -estimate");
    object["estimate"] = json::parse(report::to_json(report.estimate()));
    return object;
}

json job_json(const v1::Job& job) {
    json object = json_of(job, "name@id title owner state priority counts created_s ended_s etag");
    if (job.has_report()) {
        object["report"] = submit_json(job.report());
    }
    if (job.has_dataset()) {
        object["dataset"] = json_of(job.dataset(), "sha256 bytes complete sources_done sources");
    }
    if (job.has_progress()) {
        object["progress"] = json_of(job.progress());
    }
    return object;
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
