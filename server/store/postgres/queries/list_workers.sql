-- SPDX-License-Identifier: BSD-3-Clause
select w.worker_id, w.name, array_to_string(w.gpu_uuids, ','), w.host, w.version, w.ranks,
       w.threads, w.lost, w.draining, extract(epoch from store_now() - w.heartbeat_at),
       (select count(*) from task t where t.worker_id = w.worker_id and t.state = 'running'),
       coalesce((select cordon_text(c) from cordon c
                 where (c.kind = 'gpu' and c.value = any (w.gpu_uuids))
                    or (c.kind = 'host' and c.value = w.host)
                    or (c.kind = 'worker' and c.value = w.worker_id)
                 order by c.kind, c.value limit 1), ''),
       w.gone,
       coalesce((select d.kind || ' ' || d.value || case d.reason when '' then '' else ': ' || d.reason end
                 from drain d
                 where (d.kind = 'host' and d.value = w.host)
                    or (d.kind = 'gpu' and d.value = any (w.gpu_uuids))
                 order by d.kind desc, d.value limit 1),
                case when w.draining and w.drain_reason <> '' then w.drain_reason else '' end)
from worker w
where not w.lost or w.heartbeat_at > store_now() - interval '1 hour'
order by w.registered_at desc, w.worker_id
