-- SPDX-License-Identifier: BSD-3-Clause
-- One statement, so that the state is looked at again under the row's lock.
with reaped as (
    update task t
    set fence = t.fence + 1, worker_id = null, state = 'ready', crash_count = t.crash_count + 1,
        run_at = store_now()
                 + interval '1 second' * least($2::float8, $1::float8 * power(2, t.attempt - 1))
                   * (1 + 0.25 * (t.task_id % 97) / 97.0)
    from worker w
    where t.worker_id = w.worker_id and w.lost and t.state = 'running'
    returning t.content_key, t.crash_count, t.task_id, t.fence - 1 as fence, w.worker_id, t.began_at,
              t.label, t.payload
), lost as (
    insert into attempt (task_id, fence, worker_id, started_at, outcome, error, label, payload)
    select task_id, fence, worker_id, began_at, 'lost', 'lost: no sign of life of its worker', label,
           payload
    from reaped
)
select content_key, crash_count from reaped
