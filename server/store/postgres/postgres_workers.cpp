// SPDX-License-Identifier: BSD-3-Clause
#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"
#include "server/store/rules.hpp"

// Lists workers and their GPUs for operators, and drains or cordons them.
namespace kaname::store {
namespace {

constexpr const char* kHost = "host";
constexpr const char* kGpu = "gpu";
constexpr const char* kWorker = "worker";

const char* kind_of(const Cordon& cordon) {
    return cordon.kind == CordonKind::Host  ? kHost
           : cordon.kind == CordonKind::Gpu ? kGpu
                                            : kWorker;
}

}  // namespace

void PostgresStore::remove_worker(const std::string& worker_id) {
    lanes_.queue.transact([&](Connection& db) { db.run(sql::remove_worker, {worker_id}); });
}

void PostgresStore::drain_worker(const std::string& worker_id, bool draining, const Actor& actor,
                                 const std::string& reason) {
    lanes_.queue.transact([&](Connection& db) {
        if (db.run(sql::drain_worker, {worker_id, draining, reason}).empty()) {
            throw_worker_unknown(worker_id);
        }
        keep(db, actor, draining ? "DrainWorker" : "UndrainWorker", "workers/" + worker_id,
             outcome_of(reason));
    });
}

void PostgresStore::set_drain(const Drain& drain, bool on, const Actor& actor) {
    const char* kind = drain.kind == DrainKind::Host ? kHost : kGpu;
    lanes_.queue.transact([&](Connection& db) {
        if (on) {
            db.run(sql::begin_drain, {kind, drain.value, drain.reason, actor.name});
        } else if (db.run(sql::end_drain, {kind, drain.value}).empty()) {
            throw_not_drained(drain);
        }
        keep(db, actor, on ? "DrainWorker" : "UndrainWorker", resource_of(drain),
             outcome_of(drain.reason));
    });
}

std::vector<Drain> PostgresStore::list_drains() {
    std::vector<Drain> drains;
    lanes_.queue.look([&](Connection& db) {
        drains.clear();
        const Rows rows = db.run(sql::list_drains);
        for (int row = 0; row < rows.size(); ++row) {
            drains.push_back({rows.text(row, 0) == kHost ? DrainKind::Host : DrainKind::Gpu,
                              rows.text(row, 1), rows.text(row, 2), rows.text(row, 3),
                              rows.real(row, 4), rows.text(row, 5)});
        }
    });
    return drains;
}

void PostgresStore::set_cordon(const Cordon& cordon, bool on, const Actor& actor) {
    if (cordon.kind == CordonKind::Gpu && !on) {
        uncordon_gpu(cordon.value, actor);
        return;
    }
    lanes_.queue.transact([&](Connection& db) {
        if (cordon.kind == CordonKind::Worker &&
            db.run(sql::find_worker_that_lives, {cordon.value}).empty()) {
            throw_worker_unknown(cordon.value);
        }
        if (on) {
            db.run(sql::begin_cordon, {kind_of(cordon), cordon.value, cordon.reason, actor.name});
        } else if (db.run(sql::end_cordon, {kind_of(cordon), cordon.value}).empty()) {
            throw_not_cordoned(cordon);
        }
        keep(db, actor, method_of(cordon, on), resource_of(cordon), outcome_of(cordon.reason));
    });
}

std::vector<Cordon> PostgresStore::list_cordons() {
    std::vector<Cordon> cordons;
    lanes_.queue.look([&](Connection& db) {
        cordons.clear();
        const Rows rows = db.run(sql::list_cordons);
        for (int row = 0; row < rows.size(); ++row) {
            const std::string kind = rows.text(row, 0);
            cordons.push_back({kind == kHost  ? CordonKind::Host
                               : kind == kGpu ? CordonKind::Gpu
                                              : CordonKind::Worker,
                               rows.text(row, 1), rows.text(row, 2), rows.text(row, 3),
                               rows.real(row, 4), rows.text(row, 5), rows.flag(row, 6)});
        }
    });
    return cordons;
}

std::vector<WorkerInfo> PostgresStore::list_workers() {
    std::vector<WorkerInfo> workers;
    lanes_.queue.look([&](Connection& db) {
        workers.clear();
        const Rows rows = db.run(sql::list_workers, {options_.live_workers_of_token});
        for (int row = 0; row < rows.size(); ++row) {
            RegisteredWorker registered{rows.text(row, 0),
                                        rows.text(row, 1),
                                        rows.text(row, 3),
                                        rows.text(row, 4),
                                        static_cast<int>(rows.number(row, 5)),
                                        static_cast<int>(rows.number(row, 6)),
                                        rows.list(row, 2)};
            workers.push_back({std::move(registered), rows.flag(row, 7), rows.flag(row, 8),
                               rows.real(row, 9), rows.number(row, 10), rows.text(row, 11),
                               rows.flag(row, 12), rows.text(row, 13)});
        }
    });
    return workers;
}

std::string PostgresStore::record_gpu_faults(const std::string& worker_id,
                                             std::span<const GpuFault> faults, const Actor& actor) {
    std::string cordon;
    lanes_.queue.transact([&](Connection& db) {
        if (db.run(sql::touch_worker, {worker_id}).empty()) {
            throw_worker_unknown(worker_id);
        }
        Keys gpus;
        for (const GpuFault& fault : faults) {
            db.run(sql::insert_gpu_fault,
                   {fault.fault_id, fault.gpu_uuid, worker_id, fault.reason});
            gpus.push_back(fault.gpu_uuid);
        }
        const Rows many = db.run(sql::count_gpu_faults, {gpus, options_.gpu_fault_memory_s,
                                                         options_.gpu_faults, worker_id});
        for (int row = 0; row < many.size(); ++row) {
            const std::string gpu = many.text(row, 0);
            const std::string why =
                cordon_reason(options_, gpu, many.number(row, 1), many.text(row, 2));
            if (!db.run(sql::cordon_gpu, {gpu, why, worker_id}).empty()) {
                keep(db, actor, "CordonGpu", "gpus/" + gpu);
            }
        }
        db.run(sql::forget_gpu_faults, {options_.gpu_fault_memory_s});
        cordon = db.run(sql::touch_worker, {worker_id}).text(0, 1);
    });
    return cordon;
}

void PostgresStore::uncordon_gpu(const std::string& gpu_uuid, const Actor& actor) {
    lanes_.queue.transact([&](Connection& db) {
        if (db.run(sql::uncordon_gpu, {gpu_uuid}).empty()) {
            throw_not_cordoned(gpu_uuid);
        }
        keep(db, actor, "UncordonGpu", "gpus/" + gpu_uuid);
    });
}

// Worker jobs of batch systems.

void PostgresStore::add_dispatch(const Dispatch& dispatch) {
    lanes_.queue.transact([&](Connection& db) {
        if (db.run(sql::insert_dispatch, {dispatch.dispatch_id, dispatch.place, dispatch.pool})
                .empty()) {
            throw_dispatch_known(dispatch.dispatch_id);
        }
    });
}

bool PostgresStore::change_dispatch(const Dispatch& dispatch) {
    bool changed = false;
    lanes_.queue.transact([&](Connection& db) {
        changed = !db.run(sql::change_dispatch,
                          {dispatch.dispatch_id, dispatch.native_id, to_string(dispatch.state),
                           dispatch.reason,
                           dispatch.exit_code ? std::to_string(*dispatch.exit_code) : ""})
                       .empty();
    });
    return changed;
}

std::vector<Dispatch> PostgresStore::list_dispatches(const std::string& place,
                                                     double ended_within_s) {
    std::vector<Dispatch> dispatches;
    lanes_.queue.look([&](Connection& db) {
        dispatches.clear();
        const Rows rows = db.run(sql::list_dispatches, {place, ended_within_s});
        for (int row = 0; row < rows.size(); ++row) {
            Dispatch dispatch{rows.text(row, 0),
                              rows.text(row, 1),
                              rows.text(row, 2),
                              rows.text(row, 3),
                              parse_dispatch_state(rows.text(row, 4)),
                              rows.text(row, 5)};
            if (!rows.text(row, 6).empty()) {
                dispatch.exit_code = static_cast<int>(rows.number(row, 6));
            }
            dispatch.intended_s = rows.real(row, 7);
            dispatch.ended_s = rows.real(row, 8);
            dispatches.push_back(std::move(dispatch));
        }
    });
    return dispatches;
}

std::int64_t PostgresStore::forget_dispatches(double ended_before_s) {
    std::int64_t n = 0;
    lanes_.queue.transact(
        [&](Connection& db) { n = db.run(sql::forget_dispatches, {ended_before_s}).size(); });
    return n;
}

std::vector<std::int64_t> PostgresStore::count_ready(std::span<const std::string> pools,
                                                     std::int64_t most) {
    std::vector<std::int64_t> counts;
    lanes_.queue.transact([&](Connection& db) {
        counts.clear();
        for (const std::string& pool : pools) {
            counts.push_back(db.run(sql::count_ready_of_pool, {pool, most}).number(0, 0));
        }
    });
    return counts;
}

}  // namespace kaname::store
