-- SPDX-License-Identifier: BSD-3-Clause
-- $1 GPUs, $2 token that registers them. Agents of one server share its GPUs; one whose token has
-- ended has gone.
select w.worker_id, (select min(g) from unnest(w.gpu_uuids) as g where g = any ($1::text[]))
from worker w left join token t on t.token_id = w.token_id
where not w.lost and w.gpu_uuids && $1::text[] and w.token_id not in ('', $2)
  and t.revoked_at is null and (t.expires_at is null or t.expires_at > store_now())
  and not exists (select from token mine
                  where mine.token_id = $2 and mine.place <> '' and mine.place = t.place)
limit 1
