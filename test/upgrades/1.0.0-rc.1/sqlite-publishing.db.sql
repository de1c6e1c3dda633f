PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE migrations
  (id int not null primary key, name text not null, applied_at text not null default current_timestamp);
INSERT INTO migrations VALUES(1,'accounts','2026-11-23 05:53:35');
INSERT INTO migrations VALUES(2,'projects and deploys','2026-11-23 05:53:35');
INSERT INTO migrations VALUES(3,'domains','2026-11-23 05:53:35');
INSERT INTO migrations VALUES(4,'certificates','2026-11-23 05:53:35');
INSERT INTO migrations VALUES(5,'events of domains','2026-11-23 05:53:35');
INSERT INTO migrations VALUES(6,'names of columns of domains','2026-11-23 05:53:35');
CREATE TABLE accounts (
      id text not null primary key,
      email text not null,
      email_key text not null unique,
      name text not null,
      password_hash text not null,
      role text not null check (role in ('operator', 'member')),
      plan text not null check (plan in ('free', 'paid')),
      created_at integer not null
    ) strict;
INSERT INTO accounts VALUES('acc_0mwsuo8dtdz86bxq3xho1','olga@example.com','olga@example.com','Somebody','$argon2id$v=19$m=19456,t=2,p=1$XkNFecZM6Wgi4mT6xxOazg$OQ3UEImsLROteHfRGdrrBkehoKwpJrF+32yTrFYrW/I','operator','paid',1795413216881);
INSERT INTO accounts VALUES('acc_0mwsuo8h52u41ozaaapvy','member-1@example.com','member-1@example.com','Somebody','$argon2id$v=19$m=19456,t=2,p=1$on/uI5dnQjLhMnlg2YwRZQ$lFqc0ADzzwaereQEB+GcTD4ZJdT18+7a6/DbzrjZDK4','member','paid',1795413217001);
CREATE TABLE sessions (
      id text not null primary key,
      account_id text not null references accounts (id) on delete cascade,
      token_hash text not null unique,
      created_at integer not null,
      seen_at integer not null,
      expires_at integer not null,
      -- Kept for a while, because of where it was begun from.
      ended_at integer,
      address text not null,
      user_agent text not null
    ) strict;
INSERT INTO sessions VALUES('ses_0mwsuo8dtsmiopcruzx71','acc_0mwsuo8dtdz86bxq3xho1','1defcd29c6be005b3ca5906caa151f0d3081ab93bb4dddc1cd9d4949b75e3f91',1795413216881,1795413216881,1798005216881,NULL,'127.0.0.1','');
INSERT INTO sessions VALUES('ses_0mwsuo8h559uyi2p17sie','acc_0mwsuo8h52u41ozaaapvy','1deed07914ab739101c03070010a3e6b78ddb58902a433d192d0b7997c04c1ea',1795413217001,1795413217001,1798005217001,NULL,'127.0.0.1','');
CREATE TABLE account_links (
      id text not null primary key,
      kind text not null check (kind in ('set_up', 'invitation', 'password')),
      token_hash text not null unique,
      account_id text references accounts (id) on delete cascade,
      email text,
      role text,
      plan text,
      created_by text references accounts (id) on delete set null,
      created_at integer not null,
      expires_at integer not null,
      used_at integer
    ) strict;
INSERT INTO account_links VALUES('lnk_0mwsuo7lp1qkn8h790frj','set_up','5e6a8c6e7c460155e51e79adff3d0a4ee8c84592a0d8f86345d92c6a8d2994bf',NULL,NULL,'operator','paid',NULL,1795413215869,1796018015869,1795413216881);
INSERT INTO account_links VALUES('inv_0mwsuo8ep3kuqbzft501e','invitation','5048cbec6f04bf536c0a05721f03779144046725cd1e51f084addc261b4cc2bb',NULL,NULL,'member','paid','acc_0mwsuo8dtdz86bxq3xho1',1795413216913,1796018016913,1795413217001);
CREATE TABLE access_tokens (
      id text not null primary key,
      account_id text not null references accounts (id) on delete cascade,
      label text not null,
      secret_hash text not null,
      scopes text not null,
      created_at integer not null,
      expires_at integer not null,
      last_used_at integer
    ) strict;
INSERT INTO access_tokens VALUES('cjJhcDJMNELO','acc_0mwsuo8h52u41ozaaapvy','test','5f08dee3cb792faee92e132065b672cdaff2f93e84e04bc7f3bbf22362ad5014','projects:read projects:write deploys:write domains:write store:read store:write',1795413217013,1803189217013,NULL);
CREATE TABLE publishing_state (
      id integer not null primary key check (id = 1),
      version integer not null,
      -- 1 once the program has created its first project, which the operator may remove permanently.
      first_project integer not null
    , last_event integer not null default 0) strict;
INSERT INTO publishing_state VALUES(1,7,0,2);
CREATE TABLE projects (
      id text not null primary key,
      -- Null for projects that belong to all operators.
      owner_id text references accounts (id),
      name text not null,
      -- The number of deploys so far, and the number of the live one.
      last_deploy integer not null,
      live_deploy integer,
      -- The content that the program itself publishes here; null for all other projects.
      built_in text,
      created_at integer not null
    ) strict;
INSERT INTO projects VALUES('bf03957e-61a2-4053-a285-f211a66e67c1','acc_0mwsuo8h52u41ozaaapvy','Guide',1,1,NULL,1795413217021);
CREATE TABLE slugs (
      slug text not null primary key,
      project_id text,
      owner_id text,
      is_current integer not null check (is_current in (0, 1)),
      held_until integer
    ) strict;
INSERT INTO slugs VALUES('guide','bf03957e-61a2-4053-a285-f211a66e67c1','acc_0mwsuo8h52u41ozaaapvy',1,NULL);
CREATE TABLE files (
      hash text not null primary key,
      size integer not null,
      content blob not null,
      -- Null if compression does not help; coded says whether it was tried.
      gzip blob,
      brotli blob,
      coded integer not null check (coded in (0, 1))
    ) strict;
INSERT INTO files VALUES('cb256b76d7a9280c10426b150d40b41d4c43f7dd7aad109e6ab4a01ad7d9d469',59,X'3c21646f63747970652068746d6c3e3c7469746c653e47756964653c2f7469746c653e3c703e466565642074776963652061206461792e3c2f703e',NULL,NULL,1);
INSERT INTO files VALUES('556ac82f23f64d2f41b3fb3b9a171791364021aa95c0af6df9e2b5e1d88c8038',3000,X'616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161616161',X'1f8b0800000000000203edc13101000000c2a0aceb5fc21a1e40010000ef06c83cdc5eb80b0000',X'c1b85d002011168f0512370000',1);
CREATE TABLE uploads (
      project_id text not null,
      hash text not null,
      -- The archive that contained the file; if the archive is refused, its files are removed. Empty for a single file.
      archive text not null,
      size integer not null,
      uploaded_at integer not null,
      primary key (project_id, archive, hash)
    ) strict;
CREATE TABLE deploys (
      project_id text not null,
      number integer not null,
      state text not null check (state in
        ('receiving', 'uploaded', 'building', 'live', 'superseded', 'failed', 'removed')),
      -- Whether the sources are served unchanged or rendered. Null until that is known.
      kind text check (kind in ('ready', 'rendered')),
      source text not null check (source in ('archive', 'folder', 'built_in')),
      created_by text,
      created_at integer not null,
      finished_at integer,
      source_files integer not null,
      source_bytes integer not null,
      site_files integer not null,
      site_bytes integer not null,
      failure text,
      failure_file text,
      failure_line integer,
      -- The process that builds it, the expiry of its lease, and the number of attempts.
      lease text,
      lease_until integer,
      attempts integer not null,
      primary key (project_id, number)
    ) strict;
INSERT INTO deploys VALUES('bf03957e-61a2-4053-a285-f211a66e67c1',1,'live','ready','folder','acc_0mwsuo8h52u41ozaaapvy',1795413217068,1795413217126,2,3059,2,3059,NULL,NULL,NULL,NULL,NULL,1);
CREATE TABLE deploy_sources (
      project_id text not null,
      number integer not null,
      path text not null,
      hash text not null,
      primary key (project_id, number, path)
    ) strict;
INSERT INTO deploy_sources VALUES('bf03957e-61a2-4053-a285-f211a66e67c1',1,'index.html','cb256b76d7a9280c10426b150d40b41d4c43f7dd7aad109e6ab4a01ad7d9d469');
INSERT INTO deploy_sources VALUES('bf03957e-61a2-4053-a285-f211a66e67c1',1,'notes/a.txt','556ac82f23f64d2f41b3fb3b9a171791364021aa95c0af6df9e2b5e1d88c8038');
CREATE TABLE deploy_files (
      project_id text not null,
      number integer not null,
      path text not null,
      hash text not null,
      primary key (project_id, number, path)
    ) strict;
INSERT INTO deploy_files VALUES('bf03957e-61a2-4053-a285-f211a66e67c1',1,'index.html','cb256b76d7a9280c10426b150d40b41d4c43f7dd7aad109e6ab4a01ad7d9d469');
INSERT INTO deploy_files VALUES('bf03957e-61a2-4053-a285-f211a66e67c1',1,'notes/a.txt','556ac82f23f64d2f41b3fb3b9a171791364021aa95c0af6df9e2b5e1d88c8038');
CREATE TABLE domains (
      id text not null primary key,
      -- Lower-case ASCII, without the trailing dot.
      host text not null,
      project_id text not null,
      -- The account that owns the project, or 'operators'.
      holder text not null,
      -- The required value of the TXT record.
      verification_token text not null,
      added_at integer not null,
      -- When a user last added the domain or requested verification.
      verification_requested_at integer not null,
      -- Increases with each change of the state below.
      version integer not null,
      ownership text not null check (ownership in ('unproven', 'proven', 'disputed', 'revoked')),
      proven_by text check (proven_by in ('pointer', 'txt')),
      proven_at integer,
      dns text not null check (dns in
        ('unchecked', 'missing', 'conflict', 'wrong_target', 'partial', 'ok', 'drifting', 'lost')),
      -- Whether the host already pointed here when it was added; null until the first conclusive check.
      pointed_when_added integer check (pointed_when_added in (0, 1)),
      checked_at integer,
      -- Since when the host no longer points here; when some servers were first seen with old records.
      failing_since integer,
      partial_since integer
    , serving text not null default 'off'
      check (serving in ('off', 'http_only', 'https', 'suspended')), certificate text not null default 'none'
      check (certificate in ('none', 'preflight', 'ordering', 'validating', 'issued', 'renewing',
        'blocked', 'retry_wait', 'expired')), certificate_since integer, attempt text, blocked_by text, problem text, failures integer not null default 0, expires_at integer, renew_at integer, paused_at integer, check_at integer, issue_at integer, due_at integer, lease text, lease_until integer, role text not null default 'alias'
      check (role in ('primary', 'alias', 'redirect')), redirect_to text, redirect_status integer, last_notified text check (last_notified in ('active', 'at_risk', 'failed'))) strict;
INSERT INTO domains VALUES('5f461260-9837-4b6a-98dd-e6a9e61081bf','localhost','','platform','',1795413216401,1795413216401,3,'proven',NULL,1795413216401,'ok',NULL,NULL,NULL,NULL,'https','issued',NULL,'{"begunAt":1795413216577,"orderedAt":1795413216577,"validatingAt":null,"endedAt":1795413216577,"isIssued":true}',NULL,NULL,0,1803189216000,1800596016000,NULL,NULL,1795456416577,1795456416577,NULL,NULL,'alias',NULL,NULL,'active');
INSERT INTO domains VALUES('d7f5e470-0f29-402b-a5ed-35cbc4f66324','staging.localhost','','platform','',1795413216401,1795413216401,3,'proven',NULL,1795413216401,'ok',NULL,NULL,NULL,NULL,'https','issued',NULL,'{"begunAt":1795413216580,"orderedAt":1795413216580,"validatingAt":null,"endedAt":1795413216580,"isIssued":true}',NULL,NULL,0,1803189216000,1800596016000,NULL,NULL,1795456416580,1795456416580,NULL,NULL,'alias',NULL,NULL,'active');
INSERT INTO domains VALUES('dom_0mwsuo8m6v1wrjj6svhto','docs.example.com','bf03957e-61a2-4053-a285-f211a66e67c1','acc_0mwsuo8h52u41ozaaapvy','animal-store-verify=TJMuLC5J9srTI1qD25goJw',1795413217182,1795413217182,1,'unproven',NULL,NULL,'missing',0,1795413217190,NULL,NULL,'off','none',NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,1795413277190,NULL,1795413277190,NULL,NULL,'alias',NULL,NULL,NULL);
CREATE TABLE domain_checks (
      domain_id text not null primary key,
      at integer not null,
      judged text not null,
      evidence text not null
    ) strict;
INSERT INTO domain_checks VALUES('dom_0mwsuo8m6v1wrjj6svhto',1795413217190,'{"check":{"at":"2026-11-23T05:53:37.190Z","result":"missing","diagnostics":[{"code":"D07","severity":"blocks","title":"docs.example.com has no record yet","detail":"The resolver answered: there is no CNAME and no address.","fix":{"text":"Add a CNAME record: name docs, value docs.localhost.","remove":[],"add":[{"name":"docs.example.com","type":"CNAME","value":"docs.localhost","ttlSeconds":3600}],"forms":[{"tool":"zone-file","text":"$ORIGIN example.com.\ndocs 3600 IN CNAME docs.localhost.\n"},{"tool":"nsupdate","text":"zone example.com.\nupdate add docs.example.com. 3600 CNAME docs.localhost.\nsend\n"},{"tool":"terraform-route53","text":"resource \"aws_route53_record\" \"docs_example_com_cname\" {\n  zone_id = var.zone_id\n  name    = \"docs.example.com\"\n  type    = \"CNAME\"\n  ttl     = 3600\n  records = [\"docs.localhost\"]\n}\n"},{"tool":"terraform-cloudflare","text":"resource \"cloudflare_dns_record\" \"docs_example_com_cname\" {\n  zone_id = var.zone_id\n  name    = \"docs.example.com\"\n  type    = \"CNAME\"\n  ttl     = 3600\n  content = \"docs.localhost\"\n  proxied = false\n}\n"},{"tool":"dig","text":"dig +norecurse docs.example.com CNAME\n"}]},"found":[],"expected":[],"difference":null,"until":null}],"propagation":{"servers":[],"resolver":{"name":null,"address":"10.255.255.53","state":"ok","answer":"missing","records":[],"cachedUntil":null},"responding":0,"updated":0,"cachedUntil":null},"isCutShort":true,"zone":"example.com","provider":null},"label":"docs","isVerificationRequired":false}','{"format":1,"at":1795413217190,"durationMs":99,"queries":40,"isCutShort":true,"subject":{"host":"docs.example.com","unicodeHost":"docs.example.com","registrableDomain":"example.com","label":"docs","isApex":false},"platform":{"host":"docs.localhost","addresses":[],"staleAddresses":[],"ownHosts":["localhost","staging.localhost","localhost"],"authorities":[],"verification":{"name":"_animal-store.docs.example.com","value":"animal-store-verify=TJMuLC5J9srTI1qD25goJw"}},"claim":{"addedAt":1795413217182,"isProven":false,"pointedWhenAdded":false,"heldByOther":"no","heldBefore":false},"zone":{"delegation":"unknown","nameServers":[],"dnssec":"unsigned"},"servers":[],"resolver":{"server":{"address":"10.255.255.53","port":53},"host":{"kind":"nothing","rcode":"NXDOMAIN"}},"caa":[{"name":"docs.example.com","isOurTarget":false,"rcode":"not-asked","records":[]}],"chain":[],"probes":[],"planned":[],"exchanges":[{"server":{"name":"a.root-servers.net","address":"198.41.0.4","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217194,"ms":7.9,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"b.root-servers.net","address":"170.247.170.2","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217202,"ms":9.8,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"c.root-servers.net","address":"192.33.4.12","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217213,"ms":1.8,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"d.root-servers.net","address":"199.7.91.13","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217215,"ms":13.1,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"e.root-servers.net","address":"192.203.230.10","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217228,"ms":0.9,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"f.root-servers.net","address":"192.5.5.241","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217229,"ms":0.6,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"g.root-servers.net","address":"192.112.36.4","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217230,"ms":1.7,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"h.root-servers.net","address":"198.97.190.53","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217232,"ms":0.6,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"i.root-servers.net","address":"192.36.148.17","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217232,"ms":0.5,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"j.root-servers.net","address":"192.58.128.30","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217233,"ms":0.6,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"k.root-servers.net","address":"193.0.14.129","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217234,"ms":0.4,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"l.root-servers.net","address":"199.7.83.42","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217234,"ms":0.4,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"m.root-servers.net","address":"202.12.27.33","port":53},"question":{"name":"com","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217235,"ms":0.4,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"k.root-servers.net","address":"193.0.14.129","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217236,"ms":0.7,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"l.root-servers.net","address":"199.7.83.42","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217237,"ms":0.4,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"m.root-servers.net","address":"202.12.27.33","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217238,"ms":1.9,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"i.root-servers.net","address":"192.36.148.17","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217240,"ms":3.9,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"f.root-servers.net","address":"192.5.5.241","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217244,"ms":0.5,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"h.root-servers.net","address":"198.97.190.53","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217244,"ms":3.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"j.root-servers.net","address":"192.58.128.30","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217248,"ms":0.4,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"e.root-servers.net","address":"192.203.230.10","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217248,"ms":0.5,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"g.root-servers.net","address":"192.112.36.4","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217249,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"c.root-servers.net","address":"192.33.4.12","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217249,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"a.root-servers.net","address":"198.41.0.4","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217250,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"b.root-servers.net","address":"170.247.170.2","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217250,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"d.root-servers.net","address":"199.7.91.13","port":53},"question":{"name":"","type":"NS"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217250,"ms":0.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"address":"10.255.255.53","port":53},"question":{"name":"docs.example.com","type":"A"},"wantsRecursion":true,"isCheckingDisabled":false,"transport":"udp","at":1795413217253,"ms":11,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"address":"10.255.255.53","port":53},"question":{"name":"","type":"SOA"},"wantsRecursion":true,"isCheckingDisabled":false,"transport":"udp","at":1795413217253,"ms":11.7,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"address":"10.255.255.53","port":53},"question":{"name":"docs.localhost","type":"A"},"wantsRecursion":true,"isCheckingDisabled":false,"transport":"udp","at":1795413217253,"ms":12,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"a.root-servers.net","address":"198.41.0.4","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217253,"ms":12,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"b.root-servers.net","address":"170.247.170.2","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217265,"ms":2.3,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"c.root-servers.net","address":"192.33.4.12","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217268,"ms":0.6,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"d.root-servers.net","address":"199.7.91.13","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217268,"ms":3.1,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"g.root-servers.net","address":"192.112.36.4","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217272,"ms":0.6,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"j.root-servers.net","address":"192.58.128.30","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217273,"ms":2.9,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"l.root-servers.net","address":"199.7.83.42","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217276,"ms":0.5,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"e.root-servers.net","address":"192.203.230.10","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217276,"ms":0.4,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"f.root-servers.net","address":"192.5.5.241","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217277,"ms":1.8,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"k.root-servers.net","address":"193.0.14.129","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217279,"ms":4.7,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}},{"server":{"name":"m.root-servers.net","address":"202.12.27.33","port":53},"question":{"name":"localhost","type":"SOA"},"wantsRecursion":false,"isCheckingDisabled":false,"transport":"udp","at":1795413217284,"ms":3.7,"answer":{"rcode":"NXDOMAIN","isAuthoritative":false,"isTruncated":false,"offersRecursion":true,"isAuthenticated":false,"answers":[],"authorities":[],"additionals":[],"extendedErrors":[]}}]}');
CREATE TABLE domain_tombstones (
      host text not null,
      holder text not null,
      removed_at integer not null,
      held_until integer not null,
      primary key (host, holder)
    ) strict;
CREATE TABLE acme_accounts (
      directory text not null primary key,
      url text not null,
      private_key text not null,
      created_at integer not null
    ) strict;
CREATE TABLE internal_roots (
      id integer not null primary key check (id = 1),
      chain text not null,
      private_key text not null
    ) strict;
INSERT INTO internal_roots VALUES(1,replace('-----BEGIN CERTIFICATE-----\nMIIBlTCCATugAwIBAgIQT7AYnDMaZn+BL5JhDiJpIzAKBggqhkjOPQQDAjApMScw\nJQYDVQQDDB5BbmltYWwgU3RvcmUgSW50ZXJuYWwgM2JjOGRjOGMwHhcNMjYxMTIz\nMDQ1MzM2WhcNMzYxMTIwMDU1MzM2WjApMScwJQYDVQQDDB5BbmltYWwgU3RvcmUg\nSW50ZXJuYWwgM2JjOGRjOGMwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQYjB1P\nosLUfU37SQfpT6n8b1u7NMaMbHydjecKWiR14YsD1rkKv11laXPoyQQoKCnA2HRh\nsz5l6F1Iodw/j5KFo0UwQzASBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQE\nAwIBBjAdBgNVHQ4EFgQUhSUfXcb1dvERlRB7ZLEtEvZIjEkwCgYIKoZIzj0EAwID\nSAAwRQIgAafHZpllP+HukIiIZwCg3ms0qpKihsHHey4ZZVu94kACIQDiee1Mrqc6\n/x9d+ha/e0doMtX9QAxYeSi03Tyq8f2ruQ==\n-----END CERTIFICATE-----\n','\n',char(10)),'v1.115c665a3b39148b.we2gx52wVEXJPjeG_f7Rl0AReA-EDFYx5IEXpqCoXLt7aYF8DFv7YACHkPOzE4RXRYPZ1FCyze9uOpYGJghFT9DJpLDIu-Uoe78J2xCbyF4K6Y8UuBhJHKXBP-9PfnNZS8lFfHsP5YJE7bSThT1VVX0i3JcQqAKgyAAKBjPO36KLMzCxc9RroeQuXo3CSzkFwgfxLDfHDNPttV6aN3-MGN0er8fCv147TcaMPCfcrOdtAb2K28lM4CvKFdyKQsbHlEa-NIUPQGQ_RTcBFaLBOUsMyVeKgjXxapLqD2s54Ho-zlELQPGUbvKPXk_uBwZH5cWzsPImgtoF0EZoVtAZIieXjYD5STsJqArpVxU');
CREATE TABLE certificate_orders (
      domain_id text not null primary key,
      host text not null,
      registered_domain text not null,
      directory text not null,
      step text not null check (step in ('new', 'ordered', 'answered', 'ready', 'finalized')),
      order_url text,
      challenge_type text,
      token text not null,
      key_authorization text not null,
      private_key text not null,
      replaces text,
      begun_at integer not null
    ) strict;
CREATE TABLE certificates (
      id text not null primary key,
      domain_id text not null,
      host text not null,
      -- The display name of the authority, and its directory; 'internal' for the internal authority.
      issuer text not null,
      directory text not null,
      chain text not null,
      private_key text not null,
      fingerprint text not null,
      serial text not null,
      not_before integer not null,
      not_after integer not null,
      issued_at integer not null,
      -- Identifies the certificate at the authority (RFC 9773); null for the internal authority.
      renewal_id text,
      is_current integer not null check (is_current in (0, 1))
    ) strict;
INSERT INTO certificates VALUES('crt_0mwsuo85du06mklraobfz','5f461260-9837-4b6a-98dd-e6a9e61081bf','localhost','Animal Store Internal','internal',replace('-----BEGIN CERTIFICATE-----\nMIIBuDCCAV2gAwIBAgIQT+QAeL70sRzQ7y2J+xco5DAKBggqhkjOPQQDAjApMScw\nJQYDVQQDDB5BbmltYWwgU3RvcmUgSW50ZXJuYWwgM2JjOGRjOGMwHhcNMjYxMTIz\nMDQ1MzM2WhcNMjcwMjIxMDU1MzM2WjAAMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD\nQgAExANnDRk4tZHNdmobo6r2SGhuf1o49bkZTDC54QAxrfTZDvfS2q6KS4MC8g/c\nMyMMcEXHQJD0+uj/lsiusr4+P6OBjzCBjDAXBgNVHREBAf8EDTALgglsb2NhbGhv\nc3QwDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYB\nBQUHAwEwHQYDVR0OBBYEFC7T6N4dRqbpg+lgiEU7MktsSCtgMB8GA1UdIwQYMBaA\nFIUlH13G9XbxEZUQe2SxLRL2SIxJMAoGCCqGSM49BAMCA0kAMEYCIQDbFNU1uXSp\nmCvpYBrnMoVy29A+VKSGid3shCpLqrLxvgIhAJ6t8mX/EeTSqS03uq44cGQfU5Wg\nrdhL/rzFzDKSoyYd\n-----END CERTIFICATE-----\n','\n',char(10)),'v1.115c665a3b39148b.ey-M2M1CwD7_ELN4htVf6hWyPiDrSwLGu6u2txOZe_LR9yUCW79zIAryKDLvx8crJZ5qJcNMxJiL5wT_dQcg29y536WXw0EJ__CkpzgfGhimN9iklgsJwK4kTK1ZlQYWiCRifRNEIcD6WD_qvutp84wmCLVaTB9hoJ8YgqCg8N3hwS_OPZFXzhrHPw_DtbMNJ69wLaB6p3eApvn9DKkl09zLMagLXSIQCd8_OInrUz_dB9zc6p4ivctYTVrwbgqWjtQqkrIVwmc2Hl1pB4JUad55DncIsv6xC-VyaHeadb2T318gqynHzdiOG-XnF_8H91JYkljFCvKb-PVcRYUtZR39Sme153By5VO9UtI','81590f9d12461900986b470bfb4ec91b61b5347cdd879f62cc76801455bcea74','4fe40078bef4b11cd0ef2d89fb1728e4',1795409616000,1803189216000,1795413216577,'hSUfXcb1dvERlRB7ZLEtEvZIjEk.T-QAeL70sRzQ7y2J-xco5A',1);
INSERT INTO certificates VALUES('crt_0mwsuo85ggrceeivym02b','d7f5e470-0f29-402b-a5ed-35cbc4f66324','staging.localhost','Animal Store Internal','internal',replace('-----BEGIN CERTIFICATE-----\nMIIBvzCCAWWgAwIBAgIQUz8xZMChgmdbSWfH8YILLTAKBggqhkjOPQQDAjApMScw\nJQYDVQQDDB5BbmltYWwgU3RvcmUgSW50ZXJuYWwgM2JjOGRjOGMwHhcNMjYxMTIz\nMDQ1MzM2WhcNMjcwMjIxMDU1MzM2WjAAMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD\nQgAEXa7p2gchauozv77lt3TXgkrC3ITUAx3Y3OCM2gcNyT0h0tqHXhcAJqG0wWjW\nTwBBfYYZtGrork50wBR3c0dYYaOBlzCBlDAfBgNVHREBAf8EFTATghFzdGFnaW5n\nLmxvY2FsaG9zdDAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB/wQEAwIHgDATBgNVHSUE\nDDAKBggrBgEFBQcDATAdBgNVHQ4EFgQUXOy7RiBRhLayuU562GB0u+dS8fswHwYD\nVR0jBBgwFoAUhSUfXcb1dvERlRB7ZLEtEvZIjEkwCgYIKoZIzj0EAwIDSAAwRQIh\nALfj8T14d81l+0DqX3OJyFkCIgwLha/67HLczecZmMspAiA76S5Nv813wNKxPHwa\nDD80XW2Up2w7FyN8uNP9s+H2GQ==\n-----END CERTIFICATE-----\n','\n',char(10)),'v1.115c665a3b39148b.uhnJxE9JHZlLK5r00Vigge8uF5xzmNe6U2N8m6R8I4L2fsGZ4QgYyibVArt6rLSrqNeWJew2gastwKiBKwbA7MzDh2OTp4e3CNtlKK6G12uYl_xBFcVMHiAtEz_3FGLCrEmh_prnf3nlwyfXDEIqXzh8S50Lm54jiRwcijEQgk7VXXlfE5sXLC_sgCufIR53-AxfS70zTbww-LiCOZKldsNv7WDi_TLGFsQaXbu0y9H5X4nrvfkldHT-lhRCuTjhh9p5z8of-Gu8tcnd6v7zNZSxEUpK5G_99G0_oCRgoKgDg8E0kTkiWLv1iN9dyJuHh8-l0XEN2u8RlOFIMrOamgufLCAKy9YmKaCk24Q','15382aded2084a7cc2686738d7920848f5c3f1e11e2f9d62f749097a660d10c0','533f3164c0a182675b4967c7f1820b2d',1795409616000,1803189216000,1795413216580,'hSUfXcb1dvERlRB7ZLEtEvZIjEk.Uz8xZMChgmdbSWfH8YILLQ',1);
CREATE TABLE authority_ledger (
      id text not null primary key,
      directory text not null,
      host text not null,
      registered_domain text not null,
      -- A renewal replaces a certificate (RFC 9773); rate limits do not count it.
      kind text not null check (kind in ('order', 'failed_validation', 'certificate', 'renewal')),
      -- The error of the failed validation.
      challenge_type text,
      at integer not null
    ) strict;
CREATE TABLE withdrawn_hosts (
      version integer not null,
      host text not null,
      at integer not null,
      -- Connections closed, summed over all processes.
      cut integer not null default 0,
      primary key (version, host)
    ) strict;
CREATE TABLE nodes (
      id text not null primary key,
      seen_at integer not null,
      version integer not null
    ) strict;
CREATE TABLE domain_events (
      position integer not null primary key,
      id text not null unique,
      at integer not null,
      -- Empty for platform hosts.
      project_id text not null,
      host text not null,
      domain_id text not null,
      type text not null,
      -- The account that caused it; null for the program itself.
      actor text,
      detail text not null
    ) strict;
INSERT INTO domain_events VALUES(1,'evt_0mwsuo8m61n56lv2fnyjd',1795413217182,'bf03957e-61a2-4053-a285-f211a66e67c1','docs.example.com','dom_0mwsuo8m6v1wrjj6svhto','added','acc_0mwsuo8h52u41ozaaapvy','{}');
INSERT INTO domain_events VALUES(2,'evt_0mwsuo8mefmcrrfayv6nx',1795413217190,'bf03957e-61a2-4053-a285-f211a66e67c1','docs.example.com','dom_0mwsuo8m6v1wrjj6svhto','dns_changed',NULL,'{"from":"unchecked","to":"missing"}');
CREATE TABLE domain_webhooks (
      project_id text not null primary key,
      url text not null,
      -- Encrypted.
      secret text not null,
      created_at integer not null,
      -- The result of the last attempt.
      attempted_at integer,
      status integer,
      error text,
      failing_since integer
    ) strict;
CREATE TABLE domain_notices (
      position integer not null,
      channel text not null check (channel in ('mail', 'webhook')),
      -- The account that gets the e-mail; empty for the webhook of the project.
      recipient text not null,
      project_id text not null,
      domain_id text not null,
      created_at integer not null,
      -- When the next attempt is due; during an attempt, when the lease expires.
      due_at integer not null,
      claim text,
      tries integer not null,
      primary key (position, channel, recipient)
    ) strict;
CREATE INDEX sessions_by_account on sessions (account_id, seen_at);
CREATE INDEX sessions_by_end on sessions (expires_at);
CREATE INDEX account_links_by_end on account_links (expires_at);
CREATE INDEX account_links_by_account on account_links (account_id);
CREATE INDEX account_links_by_maker on account_links (created_by);
CREATE INDEX access_tokens_by_end on access_tokens (expires_at);
CREATE INDEX access_tokens_by_account on access_tokens (account_id, created_at);
CREATE INDEX projects_by_owner on projects (owner_id, id);
CREATE INDEX slugs_by_project on slugs (project_id);
CREATE INDEX slugs_held on slugs (owner_id, held_until) where project_id is null;
CREATE UNIQUE INDEX one_current_slug_for_each_project on slugs (project_id) where is_current = 1;
CREATE INDEX uploads_by_age on uploads (uploaded_at);
CREATE INDEX uploads_by_hash on uploads (hash, project_id);
CREATE INDEX deploys_to_build on deploys (created_at) where state in ('uploaded', 'building');
CREATE INDEX deploys_received on deploys (created_at) where state = 'receiving';
CREATE INDEX deploys_to_sweep on deploys (project_id, number) where state = 'removed';
CREATE INDEX deploy_sources_by_hash on deploy_sources (hash, project_id);
CREATE INDEX deploy_files_by_hash on deploy_files (hash);
CREATE UNIQUE INDEX domains_by_host on domains (host, holder);
CREATE UNIQUE INDEX one_proven_claim_for_each_host on domains (host) where ownership = 'proven';
CREATE INDEX domains_by_project on domains (project_id, host);
CREATE INDEX domain_tombstones_by_age on domain_tombstones (held_until);
CREATE INDEX domains_due on domains (due_at) where due_at is not null;
CREATE UNIQUE INDEX one_primary_for_each_project on domains (project_id) where role = 'primary';
CREATE INDEX domains_of_platform on domains (host) where holder = 'platform';
CREATE INDEX certificate_orders_by_host on certificate_orders (host);
CREATE INDEX certificate_orders_by_domain on certificate_orders (directory, registered_domain);
CREATE UNIQUE INDEX one_current_certificate_for_each_domain on certificates (domain_id)
      where is_current = 1;
CREATE INDEX certificates_by_age on certificates (not_after);
CREATE INDEX authority_ledger_by_host on authority_ledger (directory, host, at);
CREATE INDEX authority_ledger_by_domain on authority_ledger (directory, registered_domain, at);
CREATE INDEX authority_ledger_by_age on authority_ledger (at);
CREATE INDEX domain_events_by_project on domain_events (project_id, position);
CREATE INDEX domain_events_by_host on domain_events (project_id, host, position);
CREATE INDEX domain_events_by_age on domain_events (at);
CREATE INDEX domain_notices_due on domain_notices (channel, due_at);
CREATE INDEX domain_notices_in_order on domain_notices (domain_id, channel, recipient, position);
CREATE INDEX domain_notices_by_project on domain_notices (project_id, channel);
COMMIT;
