-- SPDX-License-Identifier: BSD-3-Clause
-- $1 worker, $2 claim, $3 seconds after which its sign of life is worth a write. Locked, so that
-- it is not declared lost meanwhile, and that one worker's claims follow one another.
select w.draining or exists (select from drain d
                             where (d.kind = 'host' and d.value = w.host)
                                or (d.kind = 'gpu' and d.value = any (w.gpu_uuids))),
       coalesce((select cordon_text(c) from cordon c
                 where (c.kind = 'gpu' and c.value = any (w.gpu_uuids))
                    or (c.kind = 'host' and c.value = w.host)
                    or (c.kind = 'worker' and c.value = w.worker_id)
                 order by c.kind, c.value limit 1), ''),
       w.heartbeat_at < store_now() - $3::float8 * interval '1 second',
       exists (select 1 from claim_answer a where a.claim_id = $2)
from worker w
where w.worker_id = $1 and not w.lost
for no key update of w
