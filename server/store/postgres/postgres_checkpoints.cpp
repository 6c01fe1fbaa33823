// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "server/store/postgres/postgres_store.hpp"
#include "server/store/postgres/sql.hpp"

namespace kaname::store {
namespace {

struct HeldColumns {
    explicit HeldColumns(std::span<const Held> tasks) {
        for (const Held& held : tasks) {
            ids.push_back(held.task_id);
            fences.push_back(held.fence);
        }
    }
    std::vector<std::int64_t> ids, fences;
};

}  // namespace

LeaseResult PostgresStore::begin_checkpoint(const std::string& worker_id,
                                            std::span<const Held> tasks,
                                            const std::string& sha256) {
    const HeldColumns held(tasks);
    LeaseResult result = LeaseResult::Lost;
    lanes_.queue.transact([&](Connection& db) {
        const Rows rows = db.run(sql::begin_checkpoint, {held.ids, held.fences, worker_id, sha256});
        result = rows.empty() ? LeaseResult::Lost : LeaseResult::Ok;
    });
    return result;
}

LeaseResult PostgresStore::set_checkpoint(const std::string& worker_id, std::span<const Held> tasks,
                                          const Checkpoint& checkpoint) {
    const HeldColumns held(tasks);
    LeaseResult result = LeaseResult::Lost;
    lanes_.queue.transact([&](Connection& db) {
        db.run(sql::lock_held_tasks, {held.ids});  // in the order that all take them
        const Rows rows =
            db.run(sql::set_checkpoint, {held.ids, held.fences, worker_id, checkpoint.sha256,
                                         checkpoint.bytes, checkpoint.step});
        result = rows.empty() ? LeaseResult::Lost : LeaseResult::Ok;
    });
    return result;
}

std::vector<std::optional<Checkpoint>> PostgresStore::find_checkpoints(
    std::span<const std::int64_t> task_ids) {
    std::vector<std::optional<Checkpoint>> found;
    const std::vector<std::int64_t> ids(task_ids.begin(), task_ids.end());
    lanes_.queue.look([&](Connection& db) {
        found.assign(ids.size(), std::nullopt);
        const Rows rows = db.run(sql::find_checkpoints, {ids});
        for (int row = 0; row < rows.size(); ++row) {
            const auto at = std::ranges::find(ids, rows.number(row, 0));
            found[static_cast<std::size_t>(at - ids.begin())] = Checkpoint{
                rows.text(row, 1), rows.number(row, 2), static_cast<int>(rows.number(row, 3))};
        }
    });
    return found;
}

std::vector<std::string> PostgresStore::forget_checkpoints(const RemoveFile& remove) {
    std::vector<std::string> unused;
    lanes_.queue.transact([&](Connection& db) {
        const Keys locked =
            db.run(sql::lock_unused_checkpoints, {options_.checkpoint_upload_s}).texts(0);
        unused = db.run(sql::forget_checkpoints, {options_.checkpoint_upload_s, locked}).texts(0);
        // While the rows are locked: whoever puts one of these files next waits, and puts it anew.
        for (const std::string& sha256 : unused) {
            remove(sha256);
        }
    });
    return unused;
}

}  // namespace kaname::store
