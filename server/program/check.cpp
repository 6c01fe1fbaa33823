// SPDX-License-Identifier: BSD-3-Clause
#include "server/program/check.hpp"

#include <algorithm>
#include <filesystem>

#include <unistd.h>

#include "server/launcher/slurm/script.hpp"
#include "server/space/watermark.hpp"
#include "server/store/postgres/database_needs.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::program {
namespace {

namespace fs = std::filesystem;

Finding check_folder(const std::string& name, const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error || ::access(folder.c_str(), W_OK | X_OK) != 0) {
        return {name, "fail", folder.string() + " cannot be written",
                "make it, for the user that the server runs as"};
    }
    return {name, "ok", folder.string() + " is writable", ""};
}

Finding check_listen(const Options& options) {
    try {
        check_listening({options.listen, options.metrics, options.tls, options.tls_cert,
                         options.tls_key, options.tls_client_ca, options.insecure, options.http});
        (void)space::parse_watermark("keeping.min_free", options.space.min_free);
    } catch (const Error& error) {
        return {"listen", "fail", error.what(), ""};
    }
    return {"listen", "ok", options.listen.empty() ? "the socket alone" : options.listen, ""};
}

std::vector<Finding> check_certificates(const Options& options) {
    std::vector<Finding> findings;
    for (const auto& [name, file] :
         {std::pair("tls.certificate", options.tls_cert), std::pair("tls.key", options.tls_key),
          std::pair("tls.client_ca", options.tls_client_ca)}) {
        if (file.empty()) {
            continue;
        }
        const bool good = read_file_if_any(file).find("-----BEGIN") != std::string::npos;
        findings.push_back({name, good ? "ok" : "fail",
                            file + (good ? " is a PEM file" : " cannot be read or is no PEM file"),
                            ""});
    }
    return findings;
}

std::vector<Finding> check_database(const Options& options) {
    if (options.database.empty()) {
        return {{"database", "ok", "a private one in the state folder", ""}};
    }
    std::vector<Finding> findings;
    try {
        for (const store::UnmetNeed& need : store::unmet_needs(options.database)) {
            findings.push_back(
                {"database", need.fatal ? "fail" : "warn", need.message, need.remedy});
        }
    } catch (const Error& error) {
        return {{"database", "fail", error.what(), "see database.conninfo"}};
    }
    if (findings.empty()) {
        findings.push_back({"database", "ok", "answers, and its role may what a server does", ""});
    }
    return findings;
}

std::vector<Finding> check_slurm(const Options& options, const ServerPlace& place) {
    const launcher::SlurmSite site = complete_site(options.config.site, place);
    std::vector<Finding> findings;
    findings.push_back(check_folder("slurm folder", site.folder));
    findings.push_back({"slurm agent", ::access(site.agent.c_str(), X_OK) == 0 ? "ok" : "warn",
                        site.agent.string(),
                        ::access(site.agent.c_str(), X_OK) == 0
                            ? ""
                            : "not on this machine; is it there on the nodes?"});
    const launcher::Slurm slurm(site.command_s);
    std::string trouble;
    const auto queue = slurm.queue(trouble);
    findings.push_back(
        {"squeue", queue ? "ok" : "fail",
         queue ? "answers, " + std::to_string(queue->size()) + " jobs of this user" : trouble,
         queue ? "" : "is this a login node, and does slurmctld run?"});
    for (const launcher::SlurmPool& pool : options.config.pools) {
        const std::vector<std::string> options_of_sbatch = launcher::sbatch_options(pool);
        const std::string why = slurm.test(
            options_of_sbatch,
            launcher::worker_script(site, pool, {"kaname-doctor", "kaname-doctor", "none"}));
        std::string asked;
        for (const std::string& option : options_of_sbatch) {
            asked += (asked.empty() ? "" : " ") + option;
        }
        findings.push_back({"pool " + pool.name, why.empty() ? "ok" : "fail",
                            why.empty() ? "a job would be accepted" : why,
                            why.empty() ? "" : "it was asked with " + asked});
    }
    return findings;
}

}  // namespace

std::vector<Finding> check_options(const Options& options, const ServerPlace& place) {
    std::vector<Finding> findings = {
        {"configuration", "ok", options.config.file, ""},
        check_listen(options),
        check_folder("state folder", place.state),
        check_folder("artifacts", options.artifacts.empty() ? place.state / "artifacts"
                                                            : fs::path(options.artifacts))};
    for (Finding& finding : check_certificates(options)) {
        findings.push_back(std::move(finding));
    }
    for (Finding& finding : check_database(options)) {
        findings.push_back(std::move(finding));
    }
    if (!options.config.pools.empty()) {
        for (Finding& finding : check_slurm(options, place)) {
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

std::string to_lines(const std::vector<Finding>& findings) {
    std::string text;
    const auto field = [](std::string word) {
        std::ranges::replace_if(
            word, [](char c) { return c == '\t' || c == '\n'; }, ' ');
        return word;
    };
    for (const Finding& finding : findings) {
        text += field(finding.status) + "\t" + field(finding.name) + "\t" + field(finding.detail) +
                "\t" + field(finding.hint) + "\n";
    }
    return text;
}

}  // namespace kaname::program
