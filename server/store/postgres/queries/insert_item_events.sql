-- SPDX-License-Identifier: BSD-3-Clause
insert into job_event (job_id, seq, type, ordinal, detail)
select $1, $2::bigint + position, $3, ordinal, $4
from unnest($5::bigint[]) with ordinality as item (ordinal, position)
