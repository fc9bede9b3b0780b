const tables: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS cueline_runs (
    run_id text PRIMARY KEY,
    key text UNIQUE,
    start text NOT NULL,
    epoch integer NOT NULL DEFAULT 0,
    length integer NOT NULL DEFAULT 0,
    ended boolean NOT NULL DEFAULT false,
    subject text,
    chat text,
    number bigserial NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`,
  `CREATE INDEX IF NOT EXISTS cueline_runs_unfinished ON cueline_runs (created_at) WHERE NOT ended`,
  `CREATE INDEX IF NOT EXISTS cueline_runs_chats ON cueline_runs (subject, chat, number) WHERE chat IS NOT NULL`,
  `CREATE TABLE IF NOT EXISTS cueline_events (
    run_id text NOT NULL REFERENCES cueline_runs ON DELETE CASCADE,
    seq integer NOT NULL,
    body text NOT NULL,
    PRIMARY KEY (run_id, seq)
  )`,
  `CREATE TABLE IF NOT EXISTS cueline_commands (
    id bigserial PRIMARY KEY,
    run_id text NOT NULL REFERENCES cueline_runs ON DELETE CASCADE,
    name text NOT NULL,
    body text NOT NULL,
    UNIQUE (run_id, name)
  )`,
];

/**
 * Creates all tables of the store, or none. The lock is needed because two simultaneous `IF NOT EXISTS` can collide in
 * Postgres. Its number is random.
 */
export const createTables: string = `DO $$ BEGIN
  IF to_regclass('cueline_commands') IS NULL THEN
    PERFORM pg_advisory_xact_lock(4716210985);
    ${tables.join(';\n')};
  END IF;
END $$`;

export const statements = {
  create: `INSERT INTO cueline_runs (run_id, key, start, subject, chat) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT DO NOTHING RETURNING run_id`,
  known: `SELECT run_id FROM cueline_runs WHERE key = $2 OR (run_id = $1 AND $2::text IS NULL)`,
  byId: `SELECT run_id, start, length, ended FROM cueline_runs WHERE run_id = $1`,
  byKey: `SELECT run_id, start, length, ended FROM cueline_runs WHERE key = $1`,
  byChat: `SELECT run_id, start, length, ended FROM cueline_runs WHERE subject = $1 AND chat = $2
    ORDER BY number DESC LIMIT 1`,
  ended: `SELECT run_id FROM cueline_runs WHERE run_id = $1 AND ended`,
  // `events` lacks what was stored while this statement waited for the lock of the run's row; `length` counts it
  claim: `WITH run AS (
      UPDATE cueline_runs SET epoch = epoch + 1 WHERE run_id = $1 AND NOT ended RETURNING epoch, start, length
    )
    SELECT epoch, start, length,
      (SELECT json_agg(body ORDER BY seq) FROM cueline_events WHERE run_id = $1 AND seq > $2)::text AS events,
      (SELECT json_agg(json_build_array(name, body) ORDER BY id) FROM cueline_commands WHERE run_id = $1)::text
        AS commands
    FROM run`,
  read: `SELECT run.ended, event.body
    FROM cueline_runs run
    LEFT JOIN cueline_events event ON event.run_id = run.run_id AND event.seq > $2
    WHERE run.run_id = $1 ORDER BY event.seq`,
  // the lock of the run's row orders appends and claims
  append: `WITH run AS (
      UPDATE cueline_runs SET length = length + cardinality($4::text[]), ended = $5
      WHERE run_id = $1 AND epoch = $2 AND length = $3 AND NOT ended
      RETURNING run_id
    ), sent AS (
      DELETE FROM cueline_commands WHERE $5 AND run_id IN (SELECT run_id FROM run)
    )
    INSERT INTO cueline_events (run_id, seq, body)
    SELECT run.run_id, $3 + item.place - 1, item.body
    FROM run, unnest($4::text[]) WITH ORDINALITY AS item(body, place)
    RETURNING seq`,
  owned: `SELECT run_id FROM cueline_runs WHERE run_id = $1 AND epoch = $2 AND NOT ended`,
  send: `INSERT INTO cueline_commands (run_id, name, body)
    SELECT run_id, $2, $3 FROM cueline_runs WHERE run_id = $1 AND NOT ended
    ON CONFLICT DO NOTHING RETURNING id`,
  sent: `SELECT command.body FROM cueline_commands command JOIN cueline_runs USING (run_id)
    WHERE run_id = $1 AND name = $2 AND NOT ended`,
  commands: `SELECT name, body FROM cueline_commands WHERE run_id = $1 ORDER BY id`,
  forget: `DELETE FROM cueline_commands WHERE run_id = $1 AND name = ANY($2::text[])`,
  forgetAll: `DELETE FROM cueline_commands WHERE run_id = $1`,
  unfinished: `SELECT run_id FROM cueline_runs WHERE NOT ended ORDER BY created_at`,
} as const;
