-- SPDX-License-Identifier: BSD-3-Clause
select k.position, a.content_key, a.sha256, a.bytes, a.uri
from unnest($1::text[]) with ordinality as k (content_key, position)
join artifact a using (content_key)
