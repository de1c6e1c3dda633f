PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE migrations
  (id int not null primary key, name text not null, applied_at text not null default current_timestamp);
INSERT INTO migrations VALUES(1,'store','2026-11-23 05:53:35');
INSERT INTO migrations VALUES(2,'categories and orders','2026-11-23 05:53:35');
INSERT INTO migrations VALUES(3,'webhooks','2026-11-23 05:53:35');
INSERT INTO migrations VALUES(4,'deprecated calls','2026-11-23 05:53:35');
CREATE TABLE store_state (
      id integer not null primary key check (id = 1),
      content_version integer not null,
      keys_version integer not null,
      last_pet_id integer not null,
      available integer not null,
      pending integer not null,
      sold integer not null,
      initialised integer not null
    , last_category_id integer not null default 0, categories integer not null default 0, last_order_id integer not null default 0, placed integer not null default 0, approved integer not null default 0, delivered integer not null default 0, cancelled integer not null default 0, active_webhooks integer not null default 0, last_event_id integer not null default 0) strict;
INSERT INTO store_state VALUES(1,8,1,50,30,10,10,1,7,7,0,0,0,0,0,0,0);
CREATE TABLE pets (
      id integer not null primary key,
      name text not null,
      category_id integer not null,
      status text not null check (status in ('available', 'pending', 'sold'))
    ) strict;
INSERT INTO pets VALUES(1,'Rex',1,'available');
INSERT INTO pets VALUES(2,'Bella',2,'available');
INSERT INTO pets VALUES(3,'Milo',3,'pending');
INSERT INTO pets VALUES(4,'Luna',4,'available');
INSERT INTO pets VALUES(5,'Charlie',5,'sold');
INSERT INTO pets VALUES(6,'Nala',6,'available');
INSERT INTO pets VALUES(7,'Oscar',7,'available');
INSERT INTO pets VALUES(8,'Kiwi',1,'pending');
INSERT INTO pets VALUES(9,'Shadow',2,'available');
INSERT INTO pets VALUES(10,'Daisy',3,'sold');
INSERT INTO pets VALUES(11,'Simba',4,'available');
INSERT INTO pets VALUES(12,'Coco',5,'available');
INSERT INTO pets VALUES(13,'Rocky',6,'pending');
INSERT INTO pets VALUES(14,'Hazel',7,'available');
INSERT INTO pets VALUES(15,'Ziggy',1,'sold');
INSERT INTO pets VALUES(16,'Pepper',2,'available');
INSERT INTO pets VALUES(17,'Finn',3,'available');
INSERT INTO pets VALUES(18,'Olive',4,'pending');
INSERT INTO pets VALUES(19,'Bruno',5,'available');
INSERT INTO pets VALUES(20,'Willow',6,'sold');
INSERT INTO pets VALUES(21,'Gizmo',7,'available');
INSERT INTO pets VALUES(22,'Maple',1,'available');
INSERT INTO pets VALUES(23,'Otto',2,'pending');
INSERT INTO pets VALUES(24,'Pearl',3,'available');
INSERT INTO pets VALUES(25,'Taco',4,'sold');
INSERT INTO pets VALUES(26,'Ivy',5,'available');
INSERT INTO pets VALUES(27,'Bandit',6,'available');
INSERT INTO pets VALUES(28,'Honey',7,'pending');
INSERT INTO pets VALUES(29,'Loki',1,'available');
INSERT INTO pets VALUES(30,'Poppy',2,'sold');
INSERT INTO pets VALUES(31,'Felix',3,'available');
INSERT INTO pets VALUES(32,'Ruby',4,'available');
INSERT INTO pets VALUES(33,'Hugo',5,'pending');
INSERT INTO pets VALUES(34,'Ginger',6,'available');
INSERT INTO pets VALUES(35,'Storm',7,'sold');
INSERT INTO pets VALUES(36,'Clover',1,'available');
INSERT INTO pets VALUES(37,'Moose',2,'available');
INSERT INTO pets VALUES(38,'Saffron',3,'pending');
INSERT INTO pets VALUES(39,'Archie',4,'available');
INSERT INTO pets VALUES(40,'Juniper',5,'sold');
INSERT INTO pets VALUES(41,'Sókrates',6,'available');
INSERT INTO pets VALUES(42,'Žofka',7,'available');
INSERT INTO pets VALUES(43,'Ñandú',1,'pending');
INSERT INTO pets VALUES(44,'Büsi',2,'available');
INSERT INTO pets VALUES(45,'小白',3,'sold');
INSERT INTO pets VALUES(46,'もも',4,'available');
INSERT INTO pets VALUES(47,'Мурка',5,'available');
INSERT INTO pets VALUES(48,'Ψίψι',6,'pending');
INSERT INTO pets VALUES(49,'Zoë',7,'available');
INSERT INTO pets VALUES(50,'🐢 Flash',1,'sold');
CREATE TABLE api_keys (
      id text not null primary key,
      lineage text not null,
      label text not null,
      secret_hash text not null,
      scopes text not null,
      rate_limit text,
      created_at integer not null,
      expires_at integer,
      revoked_at integer,
      last_used_at integer
    , deprecated_calls integer not null default 0, deprecated_at integer) strict;
INSERT INTO api_keys VALUES('sW4yXI30cKUB','sW4yXI30cKUB','first key','1a962384adcff315b612d7261b5951fe8cce209902fbeb29a634f29eb28c2e36','*',NULL,1795413215733,NULL,NULL,NULL,0,NULL);
CREATE TABLE idempotency_keys (
      scope text not null,
      key text not null,
      fingerprint text not null,
      status integer not null,
      location text not null,
      body text not null,
      created_at integer not null,
      primary key (scope, key)
    ) strict;
CREATE TABLE categories (
      id integer not null primary key,
      name text not null
    ) strict;
INSERT INTO categories VALUES(1,'Dogs');
INSERT INTO categories VALUES(2,'Cats');
INSERT INTO categories VALUES(3,'Birds');
INSERT INTO categories VALUES(4,'Rabbits');
INSERT INTO categories VALUES(5,'Fish');
INSERT INTO categories VALUES(6,'Reptiles');
INSERT INTO categories VALUES(7,'Horses');
CREATE TABLE orders (
      id integer not null primary key,
      pet_id integer not null,
      status text not null check (status in ('placed', 'approved', 'delivered', 'cancelled')),
      created_at integer not null
    ) strict;
CREATE TABLE webhooks (
      id text not null primary key,
      label text not null,
      url text not null,
      events text not null,
      secret text not null,
      previous_secret text,
      previous_until integer,
      created_at integer not null,
      failing_since integer,
      disabled_at integer,
      disabled_reason text,
      removed_at integer
    ) strict;
CREATE TABLE webhook_events (
      id integer not null primary key,
      message_id text not null unique,
      type text not null,
      pet_id integer not null,
      created_at integer not null,
      payload text not null
    ) strict;
CREATE TABLE webhook_deliveries (
      event_id integer not null,
      webhook_id text not null,
      pet_id integer not null,
      due_at integer,
      claim text,
      attempts integer not null,
      tries integer not null,
      resent integer not null,
      finished_at integer,
      outcome text check (outcome in ('delivered', 'failed')),
      primary key (event_id, webhook_id)
    ) strict;
CREATE TABLE webhook_attempts (
      webhook_id text not null,
      event_id integer not null,
      attempt integer not null,
      at integer not null,
      duration_ms integer not null,
      status integer,
      error text,
      next_at integer,
      primary key (webhook_id, event_id, attempt)
    ) strict;
CREATE INDEX pets_by_status on pets (status, id, name, category_id);
CREATE INDEX idempotency_keys_by_age on idempotency_keys (created_at);
CREATE INDEX orders_by_status on orders (status, id);
CREATE INDEX orders_by_pet on orders (pet_id, id);
CREATE UNIQUE INDEX one_open_order_for_each_pet on orders (pet_id)
      where status in ('placed', 'approved');
CREATE INDEX webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, event_id)
      where due_at is not null;
CREATE INDEX webhook_deliveries_open on webhook_deliveries (webhook_id, pet_id, event_id)
      where finished_at is null;
CREATE INDEX webhook_deliveries_oldest on webhook_deliveries (webhook_id, event_id)
      where finished_at is null;
CREATE INDEX webhook_deliveries_finished on webhook_deliveries (webhook_id, finished_at)
      where finished_at is not null;
COMMIT;
