// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <set>

#include "proto/kaname/v1/server_config.pb.h"
#include "proto/request/form/rules.hpp"
#include "proto/request/form/yaml_document.hpp"
#include "proto/request/form/yaml_reader.hpp"
#include "server/run/program/options.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::program {
namespace {

namespace fs = std::filesystem;
using request::Rules;

constexpr const char* kSchema = "kaname.v1.ServerConfig";

/// Copies the file's value of one option at a time to the options, unless the command line gives
/// it.
class Taker {
public:
    Taker(const command::Given& given, Options& options) : given_(given), options_(options) {}

    template <class Value, class Given>
    void take(const char* option, bool has, Value& into, const Given& value) {
        if (!has) {
            return;
        }
        if (given_.has(option)) {
            options_.config.overridden.emplace_back(option);
            return;
        }
        into = static_cast<Value>(value);
    }

private:
    const command::Given& given_;
    Options& options_;
};

std::string file_beside(const fs::path& config, const std::string& name) {
    return name.empty() ? name
                        : fs::absolute(config.parent_path() / name).lexically_normal().string();
}

/// libpq's quoting of a value.
std::string libpq_word(const std::string& text) {
    std::string word = "'";
    for (const char letter : text) {
        if (letter == '\'' || letter == '\\') {
            word += '\\';
        }
        word += letter;
    }
    return word + "'";
}

std::string conninfo_of(const v1::ServerConfig::Database& database, const fs::path& config,
                        Rules& rules) {
    std::string conninfo = database.conninfo();
    if (database.has_password_file() && database.has_password_variable()) {
        rules.fail("database.password_variable",
                   "must be left out beside password_file: one of them");
        return conninfo;
    }
    std::string password;
    if (database.has_password_file()) {
        const std::string file = file_beside(config, database.password_file());
        password = read_file_if_any(file);
        password = password.substr(0, password.find('\n'));
        if (password.empty()) {
            rules.fail("database.password_file", "must have the password in its first line, \"" +
                                                     file + "\" cannot be read or has none");
        }
    } else if (database.has_password_variable()) {
        const char* value = std::getenv(database.password_variable().c_str());
        password = value == nullptr ? "" : value;
        if (password.empty()) {
            rules.fail("database.password_variable",
                       "must name a variable that is set, got " +
                           request::quote(database.password_variable()));
        }
    }
    if (password.empty()) {
        return conninfo;
    }
    if (conninfo.find("://") != std::string::npos) {
        rules.fail("database.conninfo",
                   "must be of the form \"host=... dbname=...\" where the password is elsewhere");
        return conninfo;
    }
    return conninfo + " password=" + libpq_word(password);
}

launcher::SlurmPool pool_of(const v1::ServerConfig::Pool& given) {
    launcher::SlurmPool pool;
    pool.name = given.name();
    pool.serves.assign(given.serves().begin(), given.serves().end());
    pool.partition = given.partition();
    pool.account = given.account();
    pool.qos = given.qos();
    pool.options.assign(given.options().begin(), given.options().end());
    pool.scratch = given.scratch();
    pool.setup = given.setup();
    const auto set = [](auto& into, bool has, auto value) {
        if (has) {
            into = static_cast<std::remove_reference_t<decltype(into)>>(value);
        }
    };
    set(pool.nodes, given.has_nodes(), given.nodes());
    set(pool.ranks, given.has_ranks(), given.ranks());
    set(pool.threads, given.has_threads(), given.threads());
    set(pool.gpus_per_node, given.has_gpus_per_node(), given.gpus_per_node());
    set(pool.memory_gb, given.has_memory_gb(), given.memory_gb());
    set(pool.time_limit_s, given.has_time_limit_s(), given.time_limit_s());
    set(pool.leave_before_s, given.has_leave_before_s(), given.leave_before_s());
    set(pool.max_workers, given.has_max_workers(), given.max_workers());
    set(pool.idle_exit_s, given.has_idle_exit_s(), given.idle_exit_s());
    if (given.has_device()) {
        pool.device = given.device();
    }
    if (given.has_launch()) {
        pool.launch = given.launch();
    }
    return pool;
}

void read_slurm(const v1::ServerConfig::Slurm& slurm, const fs::path& config, ConfigOptions& into,
                Rules& rules) {
    const std::string path = "launchers.slurm";
    launcher::SlurmSite& site = into.site;
    site.server = slurm.server();
    if (slurm.has_server()) {
        try {
            if (parse_address("server", slurm.server()).port == 0) {
                rules.fail(path + ".server",
                           "must name a port, got " + request::quote(slurm.server()));
            }
        } catch (const Error&) {
            rules.fail(path + ".server",
                       "must be host:port, got " + request::quote(slurm.server()));
        }
    }
    if (slurm.has_ca()) {
        site.ca = read_file_if_any(file_beside(config, slurm.ca()));
        if (site.ca.empty()) {
            rules.fail(path + ".ca", "must be a PEM file, \"" + file_beside(config, slurm.ca()) +
                                         "\" cannot be read or is empty");
        }
    }
    site.certificate = slurm.certificate();
    site.key = slurm.key();
    if (slurm.has_certificate() != slurm.has_key()) {
        rules.fail(path + (slurm.has_key() ? ".certificate" : ".key"),
                   "must be given: a certificate and its key go together");
    }
    site.agent = file_beside(config, slurm.agent());
    site.folder = file_beside(config, slurm.folder());
    const auto set = [&](double& value, bool has, double given, const char* field, double least,
                         double most) {
        if (has) {
            rules.in_range(path + "." + field, given, least, most);
            value = given;
        }
    };
    set(site.poll_s, slurm.has_poll_s(), slurm.poll_s(), "poll_s", 1, 3600);
    set(site.command_s, slurm.has_command_limit_s(), slurm.command_limit_s(), "command_limit_s", 1,
        600);
    set(site.no_server_s, slurm.has_no_server_s(), slurm.no_server_s(), "no_server_s", 1, 86400);
    set(into.withdraw_after_s, slurm.has_withdraw_after_s(), slurm.withdraw_after_s(),
        "withdraw_after_s", 0, 86400);
    if (slurm.pools().empty()) {
        rules.fail(path + ".pools", "must have one pool at least");
    }
    std::set<std::string> names;
    for (int n = 0; n < slurm.pools_size(); ++n) {
        const std::string field = request::element(path + ".pools", n);
        into.pools.push_back(pool_of(slurm.pools(n)));
        for (Violation& violation : launcher::check_pool(into.pools.back(), field)) {
            rules.fail(violation.field, violation.message);
        }
        if (!names.insert(slurm.pools(n).name()).second) {
            rules.fail(field + ".name", "must be another one's than that of an earlier pool, got " +
                                            request::quote(slurm.pools(n).name()));
        }
    }
}

void read_quotas(const v1::ServerConfig& config, ConfigOptions& into, Rules& rules) {
    for (int n = 0; n < config.quotas_size(); ++n) {
        const auto& given = config.quotas(n);
        const std::string field = request::element("quotas", n);
        store::OwnerQuota quota;
        quota.owner = given.owner();
        if (quota.owner.empty()) {
            rules.fail(field + ".owner", "must be given");
        }
        const auto set = [](std::optional<std::int64_t>& limit, bool has, std::uint64_t value) {
            if (has) {
                limit = static_cast<std::int64_t>(value);
            }
        };
        set(quota.queued, given.has_queued(), given.queued());
        set(quota.running, given.has_running(), given.running());
        set(quota.bytes, given.has_bytes(), given.bytes());
        if (given.has_weight()) {
            rules.in_range(field + ".weight", given.weight(), 0.001, 1000);
            quota.weight = given.weight();
        }
        into.quotas.push_back(quota);
    }
}

void check(const v1::ServerConfig& config, Rules& rules) {
    if (config.schema() != kSchema) {
        rules.fail("schema",
                   std::string("must be ") + kSchema + ", got " + request::quote(config.schema()));
    }
    if (config.has_lease_s()) {
        rules.in_range("lease_s", config.lease_s(), 1, 3600);
    }
    if (config.has_max_upload_gb()) {
        rules.in_range("max_upload_gb", config.max_upload_gb(), 0.001, 1e6);
    }
    if (config.has_log_format()) {
        rules.one_of("log_format", config.log_format(), {"text", "json"});
    }
    const auto& local = config.launchers().local();
    rules.in_range("launchers.local.workers", local.workers(), 0, 1024);
    if (local.has_ranks()) {
        rules.in_range("launchers.local.ranks", local.ranks(), 1, 4096);
    }
    rules.in_range("launchers.local.threads", local.threads(), 0, 4096);
    rules.not_negative("launchers.local.idle_exit_s", local.idle_exit_s());
    if (local.has_device()) {
        rules.one_of("launchers.local.device", local.device(), {"auto", "cpu", "cuda"});
    }
    const auto& keeping = config.keeping();
    for (const auto& [field, value] :
         {std::pair("sweep_every_s", keeping.sweep_every_s()),
          std::pair("grace_s", keeping.grace_s()), std::pair("partial_s", keeping.partial_s()),
          std::pair("unreferenced_s", keeping.unreferenced_s()),
          std::pair("history_s", keeping.history_s()), std::pair("audit_s", keeping.audit_s()),
          std::pair("datasets_bytes", keeping.datasets_bytes())}) {
        rules.not_negative(std::string("keeping.") + field, value);
    }
    if (keeping.has_datasets_age_s()) {
        rules.positive("keeping.datasets_age_s", keeping.datasets_age_s());
    }
}

}  // namespace

void read_config(const command::Given& given, Options& options) {
    const fs::path file = fs::absolute(options.config.file);
    const std::string text = read_file_if_any(file);
    if (text.empty()) {
        throw Error(ErrorCode::NotFound,
                    "--config " + file.string() + ": cannot be read or is empty");
    }
    v1::ServerConfig config;
    const request::YamlReading yaml = request::scan_yaml(text, file.string(), config);
    Rules rules(request::unit_factor_of(yaml));
    request::every_number_finite(config, "", rules);
    check(config, rules);

    Taker taker(given, options);
    taker.take("--listen", config.has_listen(), options.listen, config.listen());
    taker.take("--metrics", config.has_metrics(), options.metrics, config.metrics());
    taker.take("--http", config.has_http(), options.http, config.http());
    taker.take("--log-format", config.has_log_format(), options.log_format, config.log_format());
    const auto& tls = config.tls();
    taker.take("--tls", tls.self_signed(), options.tls, "self-signed");
    taker.take("--tls-cert", tls.has_certificate(), options.tls_cert,
               file_beside(file, tls.certificate()));
    taker.take("--tls-key", tls.has_key(), options.tls_key, file_beside(file, tls.key()));
    taker.take("--tls-client-ca", tls.has_client_ca(), options.tls_client_ca,
               file_beside(file, tls.client_ca()));
    if (config.has_database()) {
        const std::string conninfo = conninfo_of(config.database(), file, rules);
        if (given.has("--embedded")) {
            options.config.overridden.emplace_back("--embedded");
        } else {
            taker.take("--database", !conninfo.empty(), options.database, conninfo);
        }
    }
    taker.take("--artifacts", config.has_artifacts(), options.artifacts,
               file_beside(file, config.artifacts()));
    taker.take("--lease-s", config.has_lease_s(), options.lease_s, config.lease_s());
    taker.take("--max-upload-gb", config.has_max_upload_gb(), options.max_upload_gb,
               config.max_upload_gb());
    const auto& local = config.launchers().local();
    taker.take("--workers", local.has_workers(), options.workers, local.workers());
    taker.take("--ranks", local.has_ranks(), options.ranks, local.ranks());
    taker.take("--threads", local.has_threads(), options.threads, local.threads());
    taker.take("--device", local.has_device(), options.device, local.device());
    taker.take("--idle-exit-s", local.has_idle_exit_s(), options.idle_exit_s, local.idle_exit_s());
    constexpr double kHour_s = 3600, kDay_s = 86400;
    const auto& keeping = config.keeping();
    SpaceOptions& space = options.space;
    taker.take("--min-free", keeping.has_min_free(), space.min_free, keeping.min_free());
    taker.take("--sweep-every-s", keeping.has_sweep_every_s(), space.sweep_every_s,
               keeping.sweep_every_s());
    taker.take("--grace-hours", keeping.has_grace_s(), space.grace_hours,
               keeping.grace_s() / kHour_s);
    taker.take("--keep-partial-days", keeping.has_partial_s(), space.partial_days,
               keeping.partial_s() / kDay_s);
    taker.take("--keep-unreferenced-days", keeping.has_unreferenced_s(), space.unreferenced_days,
               keeping.unreferenced_s() / kDay_s);
    taker.take("--keep-history-days", keeping.has_history_s(), space.history_days,
               keeping.history_s() / kDay_s);
    taker.take("--keep-audit-days", keeping.has_audit_s(), space.audit_days,
               keeping.audit_s() / kDay_s);
    options.config.datasets.older_than_s = keeping.datasets_age_s();
    if (keeping.has_datasets_bytes()) {
        options.config.datasets.keep_bytes = static_cast<std::int64_t>(keeping.datasets_bytes());
    }
    if (config.launchers().has_slurm()) {
        read_slurm(config.launchers().slurm(), file, options.config, rules);
        if (options.listen.empty()) {
            rules.fail("listen", "must be given beside launchers.slurm: nodes reach no socket");
        }
    }
    read_quotas(config, options.config, rules);

    std::vector<Violation> broken = yaml.violations;
    for (Violation& violation : request::relate_to_yaml(rules.take(), yaml)) {
        broken.push_back(std::move(violation));
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    options.config.file = file.string();
}

}  // namespace kaname::program
