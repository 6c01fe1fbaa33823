// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/postgres/private_postgres.hpp"

#include <cstdlib>
#include <stdexcept>

#include <sys/statfs.h>
#include <unistd.h>

#include "server/run/embedded/binaries.hpp"
#include "server/run/embedded/data_folder.hpp"
#include "server/store/postgres/connection.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/postgres/cluster_template.hpp"

namespace kaname::support {
namespace {

namespace fs = std::filesystem;

/// Databases that are kept: a test has one or two.
constexpr int kKept = 6;

/// Returns where the folder of a test's server begins: in memory where there is room, because
/// making and dropping a database writes and frees files of 10 MB, which takes four times as long
/// on a disk. Short: socket paths are limited.
std::string folder_template(bool in_memory) {
    constexpr long kTmpfs = 0x01021994;
    constexpr unsigned long long kRoom = 2ULL << 30;
    struct statfs shared {};
    const bool fits = in_memory && ::statfs("/dev/shm", &shared) == 0 && shared.f_type == kTmpfs &&
                      static_cast<unsigned long long>(shared.f_bavail) *
                              static_cast<unsigned long long>(shared.f_bsize) >
                          kRoom &&
                      ::access("/dev/shm", W_OK) == 0;
    return fits ? "/dev/shm/kaname-store-XXXXXX" : "/tmp/kaname-store-XXXXXX";
}

/// Keeps what migrations wrote aside, and makes pristine.restore(): the database becomes what it
/// was when it was made. No trigger or foreign key looks on; a table that was large is cut off, for
/// its dead rows would be read by whoever comes next. A function whose text names all tables is
/// planned once in a session.
constexpr const char* kMakePristine = R"(
create schema pristine;
do $$ declare of text; filled boolean; start bigint; body text = ''; begin
    for of in select tablename from pg_tables where schemaname = 'public' loop
        body = body || format('if pg_relation_size(''public.%1$I'') > 65536 then truncate public.%1$I cascade; '
                              'elsif exists (select from public.%1$I) then delete from public.%1$I; end if; ', of);
        execute format('select exists (select from public.%I)', of) into filled;
        if filled then execute format('create table pristine.%I as table public.%I', of, of); end if;
    end loop;
    for of in select tablename from pg_tables where schemaname = 'pristine' loop
        body = body || format('insert into public.%I overriding system value table pristine.%I; ', of, of);
    end loop;
    for of, start in select sequencename, start_value from pg_sequences where schemaname = 'public' loop
        body = body || format('perform setval(''public.%I'', %s, false); ', of, start);
    end loop;
    execute format('create function pristine.restore() returns void language plpgsql '
                   'set session_replication_role = replica as %L', 'begin ' || body || 'end');
end $$)";

}  // namespace

PrivatePostgres& PrivatePostgres::instance() {
    static PrivatePostgres only(Purpose::Test);
    return only;
}

PrivatePostgres& PrivatePostgres::durable() {
    static PrivatePostgres only(Purpose::Benchmark);
    return only;
}

PrivatePostgres::PrivatePostgres(Purpose purpose) {
    try {
        binaries_ = embedded::find_binaries({}, {}).folder;
    } catch (const Error& error) {
        absent_ = error.what();
        return;
    }
    std::string folder = folder_template(purpose == Purpose::Test);
    if (::mkdtemp(folder.data()) == nullptr) {
        throw std::runtime_error("no temporary folder " + folder);
    }
    folder_ = folder;
    user_ = embedded::choose_db_user({}, {}).name;
    if (::geteuid() == 0) {
        // The server refuses to run as root.
        std::system(("chown " + user_ + " " + folder).c_str());
    }
    const bool made = purpose == Purpose::Test
                          ? (copy_cluster_template(KANAME_TEST_DATABASE, folder_ / "data"), true)
                          : run("initdb", "-D " + folder +
                                              "/data -U kaname --auth=trust "
                                              "--locale=C --encoding=UTF8") == 0;
    if (!made || run("pg_ctl", "-D " + folder + "/data -w -l " + folder + "/log -o \"-k " + folder +
                                   " -c listen_addresses='' -c max_connections=60\" start") != 0) {
        throw std::runtime_error("PostgreSQL does not start in " + folder);
    }
}

PrivatePostgres::~PrivatePostgres() {
    if (!folder_.empty()) {
        run("pg_ctl", "-D " + folder_.string() + "/data -m immediate stop");
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
}

int PrivatePostgres::run(const std::string& program, const std::string& arguments) const {
    const std::string as_user =
        ::geteuid() == 0 ? "setpriv --reuid=" + user_ + " --regid=" + user_ + " --clear-groups "
                         : "";
    return std::system(("cd / && " + as_user + (binaries_ / program).string() + " " + arguments +
                        " > /dev/null 2>&1")
                           .c_str());
}

void PrivatePostgres::tell(const std::string& statement, const std::string& database) const {
    try {
        store::Connection(conninfo(database)).run_script(statement);
    } catch (const store::ConnectionLost& lost) {
        throw std::runtime_error(statement + ": " + lost.message);
    }
}

std::string PrivatePostgres::conninfo(const std::string& database) const {
    return "host=" + folder_.string() + " user=kaname dbname=" + database;
}

std::string PrivatePostgres::create_database(const std::string& source) {
    const std::string name = "db" + std::to_string(++n_databases_);
    // Files are copied as they are; by the log, as is the default, each page of them would go
    // through it.
    tell("create database " + name + " template " + source + " strategy file_copy");
    return conninfo(name);
}

std::shared_ptr<const std::string> PrivatePostgres::borrow_migrated_database() {
    std::string name;
    if (given_back_.empty()) {
        name = "lent" + std::to_string(++n_lent_);
        tell("create database " + name + " template " + embedded::kDatabase +
             " strategy file_copy");
        tell(kMakePristine, name);
    } else {
        name = given_back_.back();
        given_back_.pop_back();
        restore(name);
    }
    return {new std::string(conninfo(name)), [this, name](const std::string* lent) {
                delete lent;
                given_back_.push_back(name);
            }};
}

void PrivatePostgres::restore(const std::string& database) {
    std::unique_ptr<store::Connection>& kept = restorers_[database];
    for (bool again = kept != nullptr;; again = false) {
        try {
            if (!kept) {
                kept = std::make_unique<store::Connection>(conninfo(database));
            }
            kept->run_script("select pristine.restore()");
            return;
        } catch (const store::ConnectionLost& lost) {
            kept.reset();  // the server was restarted meanwhile
            if (!again) {
                throw std::runtime_error("restore " + database + ": " + lost.message);
            }
        }
    }
}

std::string PrivatePostgres::new_migrated_database() {
    for (; n_databases_ - n_dropped_ > kKept; ++n_dropped_) {
        tell("drop database if exists db" + std::to_string(n_dropped_ + 1) + " with (force)");
    }
    return create_database(embedded::kDatabase);
}

void PrivatePostgres::crash_and_restart() {
    if (run("pg_ctl", "-D " + folder_.string() + "/data -m immediate -w restart") != 0) {
        throw std::runtime_error("PostgreSQL does not start again in " + folder_.string());
    }
}

}  // namespace kaname::support
