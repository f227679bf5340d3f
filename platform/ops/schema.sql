-- Tables of an empty database with every migration applied, written by bin/dump-schema.
-- PostgreSQL 18
CREATE SCHEMA dramatiq;
CREATE TYPE dramatiq.state AS ENUM (
    'queued',
    'consumed',
    'rejected'
);
CREATE FUNCTION public.callbacks_given(of_resource text, by_person uuid) RETURNS SETOF jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT jsonb_build_object('url', s.url, 'method', s.method) FROM callbacks_subscription s
    WHERE s.resource = of_resource AND s.owner_id = by_person AND s.deleted IS NULL
    ORDER BY s.uuid DESC LIMIT 1
$$;
CREATE FUNCTION public.core_count_bytes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    file text;
    gone bigint := 0;
    come bigint := 0;
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.deleted IS NULL THEN
        IF TG_NARGS = 0 THEN file := OLD.content_id;
        ELSE file := to_jsonb(OLD) ->> TG_ARGV[0];
        END IF;
        SELECT size INTO gone FROM core_blob WHERE sha256 = file;
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.deleted IS NULL THEN
        IF TG_NARGS = 0 THEN file := NEW.content_id;
        ELSE file := to_jsonb(NEW) ->> TG_ARGV[0];
        END IF;
        SELECT size INTO come FROM core_blob WHERE sha256 = file;
    END IF;
    IF coalesce(come, 0) <> coalesce(gone, 0) THEN
        INSERT INTO core_usage AS u (account, bytes)
        VALUES (CASE WHEN TG_OP = 'DELETE' THEN OLD.owner_id ELSE NEW.owner_id END,
            coalesce(come, 0) - coalesce(gone, 0))
        ON CONFLICT (account) DO UPDATE SET bytes = u.bytes + EXCLUDED.bytes;
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION public.erp_customer_of_document() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    SELECT customer_id INTO NEW.customer_id FROM erp_order WHERE uuid = NEW.order_id;
    RETURN NEW;
END $$;
CREATE FUNCTION public.erp_customer_of_documents() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE erp_document SET customer_id = NEW.customer_id
    WHERE order_id = NEW.uuid AND customer_id IS DISTINCT FROM NEW.customer_id;
    RETURN NULL;
END $$;
CREATE FUNCTION public.erp_document_fixed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'Documents are never deleted.';
    END IF;
    IF (OLD.bureau_id, OLD.order_id, OLD.type, OLD.series_id, OLD.number, OLD.year, OLD.sequence,
        OLD.issued_on, OLD.language, OLD.corrects_id, OLD.currency, OLD.net, OLD.gross, OLD.data,
        OLD.creator_id, OLD.created, OLD.shipment_id) IS DISTINCT FROM
       (NEW.bureau_id, NEW.order_id, NEW.type, NEW.series_id, NEW.number, NEW.year, NEW.sequence,
        NEW.issued_on, NEW.language, NEW.corrects_id, NEW.currency, NEW.net, NEW.gross, NEW.data,
        NEW.creator_id, NEW.created, NEW.shipment_id) THEN
        RAISE EXCEPTION 'What a document says never changes.';
    END IF;
    IF NEW.quote_id IS NOT NULL AND NEW.quote_id IS DISTINCT FROM OLD.quote_id THEN
        RAISE EXCEPTION 'A document is of one quote.';
    END IF;
    IF OLD.content_id IS NOT NULL AND NEW.content_id IS DISTINCT FROM OLD.content_id THEN
        RAISE EXCEPTION 'The file of a document never changes.';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.erp_line_item_net(status text, price jsonb, estimates jsonb) RETURNS numeric
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT CASE WHEN status <> 'cancelled'
        THEN coalesce(price ->> 'net', estimates -> 'cost' ->> 'amount')::numeric END
$$;
CREATE FUNCTION public.erp_net_of_line_items() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE keys uuid[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(DISTINCT order_id) INTO keys FROM new_rows
        WHERE order_id IS NOT NULL AND erp_line_item_net(status, price, estimates) IS NOT NULL;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT array_agg(DISTINCT order_id) INTO keys FROM old_rows
        WHERE order_id IS NOT NULL AND erp_line_item_net(status, price, estimates) IS NOT NULL;
    ELSE
        SELECT array_agg(DISTINCT key) INTO keys
        FROM old_rows JOIN new_rows USING (uuid),
            unnest(ARRAY[old_rows.order_id, new_rows.order_id]) AS key
        WHERE key IS NOT NULL AND (
            old_rows.order_id,
            erp_line_item_net(old_rows.status, old_rows.price, old_rows.estimates)
        ) IS DISTINCT FROM (
            new_rows.order_id,
            erp_line_item_net(new_rows.status, new_rows.price, new_rows.estimates)
        );
    END IF;
    PERFORM erp_set_order_net(keys);
    RETURN NULL;
END $$;
CREATE FUNCTION public.erp_net_of_quotes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE keys uuid[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(DISTINCT order_id) INTO keys FROM new_rows;
    ELSIF TG_OP = 'DELETE' THEN
        SELECT array_agg(DISTINCT order_id) INTO keys FROM old_rows;
    ELSE
        SELECT array_agg(DISTINCT key) INTO keys
        FROM old_rows JOIN new_rows USING (uuid),
            unnest(ARRAY[old_rows.order_id, new_rows.order_id]) AS key
        WHERE (old_rows.order_id, old_rows.status, old_rows.net, old_rows.amount)
            IS DISTINCT FROM (new_rows.order_id, new_rows.status, new_rows.net, new_rows.amount);
    END IF;
    PERFORM erp_set_order_net(keys);
    RETURN NULL;
END $$;
CREATE FUNCTION public.erp_number_order() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE erp_bureau SET last_order_number = last_order_number + 1
        WHERE uuid = NEW.bureau_id RETURNING last_order_number INTO NEW.number;
    RETURN NEW;
END
$$;
CREATE FUNCTION public.erp_order_approval_fixed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'An approval never changes.';
END $$;
CREATE FUNCTION public.erp_order_balance() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE change numeric;
BEGIN
    IF TG_TABLE_NAME = 'erp_document' THEN
        change := CASE NEW.type WHEN 'invoice' THEN NEW.gross ELSE -NEW.gross END;
    ELSE
        change := CASE WHEN NEW.reverses_id IS NULL AND NEW.refunds_id IS NULL
            THEN -NEW.amount ELSE NEW.amount END;
    END IF;
    UPDATE erp_order SET balance = balance + change WHERE uuid = NEW.order_id AND change <> 0;
    RETURN NULL;
END $$;
CREATE FUNCTION public.erp_order_net(key uuid) RETURNS numeric
    LANGUAGE sql STABLE
    AS $$
    SELECT CASE WHEN abs(net) < 1e24 THEN net END
    FROM (SELECT coalesce(
        (
            SELECT coalesce(net, amount) FROM erp_quote
            WHERE order_id = key AND status <> 'withdrawn' ORDER BY uuid DESC LIMIT 1
        ), (
            SELECT sum(erp_line_item_net(status, price, estimates)) FROM erp_lineitem
            WHERE order_id = key
        )
    ) AS net)
$$;
CREATE FUNCTION public.erp_print_decision_fixed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'A print decision never changes.';
END $$;
CREATE FUNCTION public.erp_set_order_net(keys uuid[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF keys IS NULL THEN
        RETURN;
    END IF;
    PERFORM 1 FROM erp_order WHERE uuid = ANY (keys) ORDER BY uuid FOR NO KEY UPDATE;
    UPDATE erp_order SET net = sums.net
    FROM (SELECT key, round(erp_order_net(key), 6) AS net FROM unnest(keys) AS key OFFSET 0) sums
    WHERE uuid = key AND erp_order.net IS DISTINCT FROM sums.net;
END $$;
CREATE FUNCTION public.payment_charge_stays() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'charges are never deleted';
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.status <> 'authorised' THEN
        RAISE EXCEPTION 'a charge that is recorded or released never changes';
    END IF;
    IF NEW.invoice_id IS NOT NULL AND EXISTS (
        SELECT FROM payment_invoice WHERE uuid = NEW.invoice_id AND issued IS NOT NULL) THEN
        RAISE EXCEPTION 'an issued invoice takes no more charges';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.payment_invoice_stays() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'invoices are never deleted';
    END IF;
    IF OLD.issued IS NOT NULL AND
        (OLD.owner_id, OLD.month, OLD.currency, OLD.issued, OLD.due, OLD.created) IS DISTINCT FROM
        (NEW.owner_id, NEW.month, NEW.currency, NEW.issued, NEW.due, NEW.created) THEN
        RAISE EXCEPTION 'an issued invoice changes nothing but its status and its payment';
    END IF;
    RETURN NEW;
END $$;
CREATE FUNCTION public.payment_invoiceevent_is_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'what was done to an invoice is never changed or deleted';
END $$;
CREATE FUNCTION public.users_auditevent_is_append_only() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'audit events are never changed or deleted';
END $$;
CREATE FUNCTION public.users_granted(in_namespace text) RETURNS TABLE(key uuid, created timestamp with time zone, person uuid, object uuid, held text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT p.uuid, p.created, u.uuid, p.object_uuid, p."right"
    FROM users_permission p JOIN users_user u ON u.uuid = p.holder_uuid
    WHERE p.namespace = in_namespace
$$;
CREATE FUNCTION public.users_held(person uuid, in_namespace text, of_right text) RETURNS SETOF uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT p.object_uuid FROM users_permission p
    WHERE p.namespace = in_namespace AND p."right" = of_right AND p.holder_uuid = ANY (
        ARRAY(SELECT m.group_id FROM users_membership m WHERE m.user_id = person) || person)
$$;
CREATE FUNCTION public.users_held_after(person uuid, in_namespace text, of_right text, place uuid, most bigint) RETURNS SETOF uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT found.object_uuid FROM unnest(
        ARRAY(SELECT m.group_id FROM users_membership m WHERE m.user_id = person) || person
    ) AS holder(key), LATERAL (
        SELECT p.object_uuid FROM users_permission p
        WHERE p.holder_uuid = holder.key AND p.namespace = in_namespace AND p."right" = of_right
            AND p.object_uuid > place
        ORDER BY p.object_uuid ASC LIMIT most) AS found
$$;
CREATE FUNCTION public.users_held_after(person uuid, in_namespace text, of_right text, place uuid, most bigint, last uuid) RETURNS SETOF uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT found.object_uuid FROM unnest(
        ARRAY(SELECT m.group_id FROM users_membership m WHERE m.user_id = person) || person
    ) AS holder(key), LATERAL (
        SELECT p.object_uuid FROM users_permission p
        WHERE p.holder_uuid = holder.key AND p.namespace = in_namespace AND p."right" = of_right
            AND p.object_uuid > place AND p.object_uuid < last
        ORDER BY p.object_uuid ASC LIMIT most) AS found
$$;
CREATE FUNCTION public.users_held_before(person uuid, in_namespace text, of_right text, place uuid, most bigint) RETURNS SETOF uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT found.object_uuid FROM unnest(
        ARRAY(SELECT m.group_id FROM users_membership m WHERE m.user_id = person) || person
    ) AS holder(key), LATERAL (
        SELECT p.object_uuid FROM users_permission p
        WHERE p.holder_uuid = holder.key AND p.namespace = in_namespace AND p."right" = of_right
            AND p.object_uuid < place
        ORDER BY p.object_uuid DESC LIMIT most) AS found
$$;
CREATE FUNCTION public.users_held_before(person uuid, in_namespace text, of_right text, place uuid, most bigint, last uuid) RETURNS SETOF uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT found.object_uuid FROM unnest(
        ARRAY(SELECT m.group_id FROM users_membership m WHERE m.user_id = person) || person
    ) AS holder(key), LATERAL (
        SELECT p.object_uuid FROM users_permission p
        WHERE p.holder_uuid = holder.key AND p.namespace = in_namespace AND p."right" = of_right
            AND p.object_uuid < place AND p.object_uuid > last
        ORDER BY p.object_uuid DESC LIMIT most) AS found
$$;
CREATE FUNCTION public.users_members() RETURNS TABLE(key uuid, created timestamp with time zone, person uuid, team uuid)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT m.uuid, m.created, m.user_id, m.group_id FROM users_membership m
$$;
CREATE FUNCTION public.warehouse_kept() RETURNS TABLE(key uuid, sha256 character varying)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT m.uuid, m.canonical_id FROM warehouse_model m WHERE m.deleted IS NULL
$$;
CREATE FUNCTION public.warehouse_pairs(word text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT COST 1000 PARALLEL RESTRICTED
    RETURN ARRAY(SELECT substr(warehouse_pairs.word, at.at, 2) AS substr FROM generate_series(1, (length(warehouse_pairs.word) - 1)) at(at));
CREATE FUNCTION public.warehouse_pieces(word text) RETURNS text[]
    LANGUAGE sql IMMUTABLE STRICT COST 1000 PARALLEL SAFE
    RETURN ARRAY(SELECT substr(warehouse_pieces.word, at.at, 3) AS substr FROM generate_series(1, (length(warehouse_pieces.word) - 2)) at(at));
CREATE FUNCTION public.warehouse_readable(person uuid) RETURNS TABLE(key uuid, sha256 character varying)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT m.uuid, m.canonical_id FROM warehouse_model m
    WHERE m.deleted IS NULL AND (
        m.owner_id = person OR m.uuid IN (SELECT * FROM users_held(person, 'models', 'read')))
$$;
CREATE FUNCTION public.warehouse_readable_list(person uuid) RETURNS TABLE(key uuid, sha256 character varying)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT m.uuid, m.canonical_id FROM warehouse_model m
    WHERE m.deleted IS NULL AND m.owner_id = person
    UNION ALL
    SELECT m.uuid, m.canonical_id FROM warehouse_model m
    WHERE m.deleted IS NULL AND m.uuid IN (SELECT * FROM users_held(person, 'models', 'read'))
$$;
CREATE TABLE dramatiq.queue (
    message_id uuid NOT NULL,
    queue_name text DEFAULT 'default'::text NOT NULL,
    state dramatiq.state,
    mtime timestamp with time zone DEFAULT now(),
    message jsonb,
    "position" bigint NOT NULL,
    available_at timestamp with time zone DEFAULT now() NOT NULL,
    worker_id uuid,
    consumed_at timestamp with time zone,
    account uuid,
    turn double precision DEFAULT 0 NOT NULL,
    cost real DEFAULT 1 NOT NULL,
    subject text,
    newcomer boolean DEFAULT false NOT NULL
);
ALTER TABLE dramatiq.queue ALTER COLUMN "position" ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME dramatiq.queue_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE dramatiq.result (
    message_id uuid NOT NULL,
    result jsonb,
    expires_at timestamp with time zone
);
CREATE TABLE dramatiq.worker (
    worker_id uuid NOT NULL,
    heartbeat_at timestamp with time zone NOT NULL,
    lease bigint,
    queues text[],
    clock timestamp with time zone,
    machine text
);
CREATE TABLE public.auth_group (
    id integer NOT NULL,
    name character varying(150) NOT NULL
);
ALTER TABLE public.auth_group ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_group_permissions (
    id bigint NOT NULL,
    group_id integer NOT NULL,
    permission_id integer NOT NULL
);
ALTER TABLE public.auth_group_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_group_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.auth_permission (
    id integer NOT NULL,
    name character varying(255) NOT NULL,
    content_type_id integer NOT NULL,
    codename character varying(100) NOT NULL
);
ALTER TABLE public.auth_permission ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.auth_permission_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.callbacks_bureaucounter (
    bureau uuid NOT NULL,
    last bigint NOT NULL
);
CREATE TABLE public.callbacks_delivery (
    uuid uuid NOT NULL,
    subscription_id uuid NOT NULL,
    event_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    origin_id bigint NOT NULL,
    lane uuid NOT NULL,
    seq integer NOT NULL,
    state character varying(9) NOT NULL,
    created timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    next_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    since timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    since_tick bigint NOT NULL,
    tries integer NOT NULL,
    reached integer NOT NULL,
    first_at timestamp with time zone,
    last_at timestamp with time zone,
    last_outcome character varying(16) NOT NULL,
    last_error character varying(300) NOT NULL,
    delivered_at timestamp with time zone,
    replayed_at timestamp with time zone,
    replayed_by_id uuid
);
CREATE TABLE public.callbacks_event (
    uuid uuid NOT NULL,
    owner_id uuid NOT NULL,
    "position" bigint NOT NULL,
    seq integer NOT NULL,
    uri character varying(500) NOT NULL,
    type character varying(64) NOT NULL,
    body text NOT NULL,
    created timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    bureau uuid,
    bureau_position bigint,
    location uuid
);
CREATE TABLE public.callbacks_eventcounter (
    owner_id uuid NOT NULL,
    last bigint NOT NULL
);
CREATE TABLE public.callbacks_origin (
    id bigint NOT NULL,
    origin character varying(300) NOT NULL,
    unreachable_since timestamp with time zone,
    probe_at timestamp with time zone,
    slow integer NOT NULL
);
ALTER TABLE public.callbacks_origin ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.callbacks_origin_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.callbacks_outcome (
    id bigint NOT NULL,
    delivery_id uuid NOT NULL,
    outcome character varying(16) NOT NULL,
    count integer NOT NULL,
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    ms integer NOT NULL,
    response_head text NOT NULL
);
ALTER TABLE public.callbacks_outcome ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.callbacks_outcome_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.callbacks_senderclock (
    id bigint NOT NULL,
    ticks bigint NOT NULL
);
ALTER TABLE public.callbacks_senderclock ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.callbacks_senderclock_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.callbacks_sink (
    uuid uuid NOT NULL,
    owner_id uuid NOT NULL,
    token character varying(64) NOT NULL,
    created timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    expires timestamp with time zone NOT NULL
);
CREATE TABLE public.callbacks_subscription (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    resource character varying(500),
    events character varying(64)[] NOT NULL,
    url character varying(2048) NOT NULL,
    method character varying(4) NOT NULL,
    origin_id bigint NOT NULL,
    enabled boolean NOT NULL,
    updated timestamp with time zone NOT NULL,
    deleted timestamp with time zone,
    bureau uuid,
    location uuid,
    CONSTRAINT subscription_of_location_in_bureau CHECK (((location IS NULL) OR (bureau IS NOT NULL))),
    CONSTRAINT subscription_of_resource_or_account CHECK ((((resource IS NULL) OR (events = '{}'::character varying(64)[])) AND (1 = (
CASE
    WHEN (resource IS NULL) THEN 1
    ELSE 0
END +
CASE
    WHEN (events = '{}'::character varying(64)[]) THEN 1
    ELSE 0
END)))),
    CONSTRAINT subscription_of_resource_or_bureau CHECK (((bureau IS NULL) OR (resource IS NULL)))
);
CREATE TABLE public.callbacks_sunkrequest (
    id bigint NOT NULL,
    sink_id uuid NOT NULL,
    method character varying(16) NOT NULL,
    query text NOT NULL,
    headers jsonb NOT NULL,
    body bytea NOT NULL,
    size integer NOT NULL,
    received timestamp with time zone DEFAULT statement_timestamp() NOT NULL
);
ALTER TABLE public.callbacks_sunkrequest ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.callbacks_sunkrequest_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.callbacks_webhooksecret (
    uuid uuid NOT NULL,
    owner_id uuid NOT NULL,
    salt bytea NOT NULL,
    created timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
    expires timestamp with time zone
);
CREATE TABLE public.core_blob (
    sha256 character varying(64) NOT NULL,
    size bigint NOT NULL,
    created timestamp with time zone NOT NULL,
    touched timestamp with time zone,
    unused timestamp with time zone
);
CREATE TABLE public.core_canary (
    queue character varying(100) NOT NULL,
    sent timestamp with time zone NOT NULL,
    ended timestamp with time zone,
    worker uuid
);
CREATE TABLE public.core_counter (
    id bigint NOT NULL,
    key character varying(200) NOT NULL,
    "window" bigint NOT NULL,
    count integer NOT NULL,
    updated timestamp with time zone NOT NULL
);
ALTER TABLE public.core_counter ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.core_counter_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.core_damagedfile (
    sha256 character varying(64) NOT NULL,
    what character varying(8) NOT NULL,
    found timestamp with time zone NOT NULL
);
CREATE TABLE public.core_doomedfile (
    sha256 character varying(64) NOT NULL,
    since timestamp with time zone NOT NULL
);
CREATE TABLE public.core_fault (
    uuid uuid NOT NULL,
    number character varying(128) NOT NULL,
    method character varying(16) NOT NULL,
    path character varying(500) NOT NULL,
    account uuid,
    exception character varying(300) NOT NULL,
    trace text NOT NULL,
    created timestamp with time zone NOT NULL
);
CREATE TABLE public.core_idempotentanswer (
    id bigint NOT NULL,
    user_id uuid NOT NULL,
    key character varying(255) NOT NULL,
    fingerprint bytea NOT NULL,
    status smallint,
    headers jsonb,
    body bytea,
    created timestamp with time zone NOT NULL
);
ALTER TABLE public.core_idempotentanswer ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.core_idempotentanswer_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.core_installation (
    one boolean DEFAULT true NOT NULL,
    identity jsonb NOT NULL,
    "least" integer NOT NULL,
    CONSTRAINT core_installation_one_check CHECK (one)
);
CREATE TABLE public.core_jobstart (
    message uuid NOT NULL,
    starts smallint NOT NULL,
    last timestamp with time zone NOT NULL
);
CREATE TABLE public.core_limit (
    uuid uuid NOT NULL,
    holder uuid,
    "limit" character varying(64) NOT NULL,
    most bigint,
    note character varying(200) NOT NULL,
    created timestamp with time zone NOT NULL
);
CREATE TABLE public.core_pace (
    actor character varying(100) NOT NULL,
    told double precision NOT NULL,
    taken double precision NOT NULL
);
CREATE TABLE public.core_usage (
    account uuid NOT NULL,
    bytes bigint NOT NULL
);
CREATE TABLE public.django_admin_log (
    id integer NOT NULL,
    action_time timestamp with time zone NOT NULL,
    object_id text,
    object_repr character varying(200) NOT NULL,
    action_flag smallint NOT NULL,
    change_message text NOT NULL,
    content_type_id integer,
    user_id uuid NOT NULL,
    CONSTRAINT django_admin_log_action_flag_check CHECK ((action_flag >= 0))
);
ALTER TABLE public.django_admin_log ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_admin_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_content_type (
    id integer NOT NULL,
    app_label character varying(100) NOT NULL,
    model character varying(100) NOT NULL
);
ALTER TABLE public.django_content_type ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_content_type_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_migrations (
    id bigint NOT NULL,
    app character varying(255) NOT NULL,
    name character varying(255) NOT NULL,
    applied timestamp with time zone NOT NULL
);
ALTER TABLE public.django_migrations ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.django_migrations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.django_session (
    session_key character varying(40) NOT NULL,
    session_data text NOT NULL,
    expire_date timestamp with time zone NOT NULL
);
CREATE TABLE public.erp_agent (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    version character varying(200) NOT NULL,
    seen timestamp with time zone,
    code_sha256 bytea,
    code_expires timestamp with time zone,
    secret_sha256 bytea,
    machines jsonb NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    location_id uuid NOT NULL,
    permits_refused integer NOT NULL,
    report_delay double precision,
    session character varying(64) NOT NULL,
    hosts jsonb,
    search jsonb,
    CONSTRAINT erp_agent_permits_refused_check CHECK ((permits_refused >= 0))
);
CREATE TABLE public.erp_attempt (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(64) NOT NULL,
    status character varying(16) NOT NULL,
    detached boolean NOT NULL,
    began timestamp with time zone,
    ended timestamp with time zone,
    cleared timestamp with time zone,
    printing_seconds double precision,
    printing_since timestamp with time zone,
    notes text NOT NULL,
    evidence jsonb NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    printer_id uuid NOT NULL,
    run_id uuid NOT NULL,
    boot character varying(200) NOT NULL,
    wanted character varying(16),
    estimated_seconds double precision,
    filament_mm double precision,
    needs jsonb NOT NULL,
    progress double precision,
    used jsonb,
    skips jsonb NOT NULL
);
CREATE TABLE public.erp_attempt_loaded (
    id bigint NOT NULL,
    attempt_id uuid NOT NULL,
    stock_id uuid NOT NULL
);
ALTER TABLE public.erp_attempt_loaded ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_attempt_loaded_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_attemptpicture (
    id bigint NOT NULL,
    status character varying(16) NOT NULL,
    at timestamp with time zone NOT NULL,
    attempt_id uuid NOT NULL,
    content_id character varying(64) NOT NULL
);
ALTER TABLE public.erp_attemptpicture ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_attemptpicture_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_attemptreadings (
    attempt_id uuid NOT NULL,
    "interval" integer NOT NULL,
    last integer,
    rows jsonb NOT NULL,
    CONSTRAINT erp_attemptreadings_interval_check CHECK (("interval" >= 0)),
    CONSTRAINT erp_attemptreadings_last_check CHECK ((last >= 0))
);
CREATE TABLE public.erp_bankaccount (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    account_holder character varying(70) NOT NULL,
    iban character varying(34) NOT NULL,
    bic character varying(11) NOT NULL,
    term_days integer NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    CONSTRAINT erp_bankaccount_term_days_check CHECK ((term_days >= 0))
);
CREATE TABLE public.erp_bureau (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL,
    "group" uuid NOT NULL,
    currency character varying(3) NOT NULL,
    banner_message text NOT NULL,
    banner_link character varying(2048) NOT NULL,
    creator_id uuid NOT NULL,
    last_order_number integer DEFAULT 0 NOT NULL,
    accent character varying(7) DEFAULT ''::character varying NOT NULL,
    address text DEFAULT ''::text NOT NULL,
    email character varying(254) DEFAULT ''::character varying NOT NULL,
    introduction text DEFAULT ''::text NOT NULL,
    language character varying(2) DEFAULT ''::character varying NOT NULL,
    logo_sha256 character varying(64) DEFAULT ''::character varying NOT NULL,
    phone character varying(200) DEFAULT ''::character varying NOT NULL,
    website character varying(2048) DEFAULT ''::character varying NOT NULL,
    legal_notice text DEFAULT ''::text NOT NULL,
    vat_number character varying(200) DEFAULT ''::character varying NOT NULL,
    electricity_price numeric(18,6),
    automatic_invoices character varying(16) DEFAULT 'never'::character varying NOT NULL,
    automatic_quotes boolean DEFAULT false NOT NULL,
    CONSTRAINT erp_bureau_last_order_number_check CHECK ((last_order_number >= 0))
);
CREATE TABLE public.erp_camerapicture (
    printer_id uuid NOT NULL,
    content bytea NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE TABLE public.erp_capacity (
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    key character varying(64) NOT NULL,
    question jsonb NOT NULL,
    at_least bigint NOT NULL,
    at_most bigint NOT NULL,
    reason text NOT NULL,
    status character varying(16) NOT NULL,
    CONSTRAINT erp_capacity_at_least_check CHECK ((at_least >= 0)),
    CONSTRAINT erp_capacity_at_most_check CHECK ((at_most >= 0))
);
CREATE TABLE public.erp_cardaccount (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    enabled boolean NOT NULL,
    secret_key bytea NOT NULL,
    webhook_secret bytea NOT NULL,
    error character varying(200) NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL
);
CREATE TABLE public.erp_cardcheckout (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    status character varying(16) NOT NULL,
    amount numeric(18,6) NOT NULL,
    currency character varying(3) NOT NULL,
    session character varying(255) NOT NULL,
    expires timestamp with time zone NOT NULL,
    checks smallint NOT NULL,
    checked timestamp with time zone,
    order_id uuid NOT NULL,
    CONSTRAINT erp_cardcheckout_checks_check CHECK ((checks >= 0))
);
CREATE TABLE public.erp_companymember (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    email character varying(254) NOT NULL,
    name character varying(200) NOT NULL,
    role character varying(8) NOT NULL,
    bureau_id uuid NOT NULL,
    company_id uuid NOT NULL
);
CREATE TABLE public.erp_connectiontest (
    printer_id uuid NOT NULL,
    uuid uuid NOT NULL,
    driver character varying(16) NOT NULL,
    address character varying(200) NOT NULL,
    sealed_key bytea,
    state character varying(16) NOT NULL,
    steps jsonb NOT NULL,
    host character varying(200) NOT NULL,
    created timestamp with time zone NOT NULL,
    ended timestamp with time zone,
    agent_id uuid NOT NULL
);
CREATE TABLE public.erp_currencyconversion (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    currency character varying(3) NOT NULL,
    value double precision NOT NULL
);
CREATE TABLE public.erp_customer (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    email character varying(254) NOT NULL,
    address text NOT NULL,
    country character varying(2) NOT NULL,
    vat_number character varying(200) NOT NULL,
    notes text NOT NULL,
    bureau_id uuid NOT NULL,
    user_id uuid,
    group_id uuid,
    vat_confirmed boolean NOT NULL,
    vat_confirmed_by_id uuid,
    vat_confirmed_on timestamp with time zone,
    language character varying(2) DEFAULT ''::character varying NOT NULL,
    company_id uuid,
    contact character varying(200) DEFAULT ''::character varying NOT NULL,
    phone character varying(200) DEFAULT ''::character varying NOT NULL,
    reference character varying(200) DEFAULT ''::character varying NOT NULL
);
CREATE TABLE public.erp_customercompany (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    approval_limit numeric(18,6),
    notes text NOT NULL,
    bureau_id uuid NOT NULL,
    group_id uuid
);
CREATE TABLE public.erp_customergroup (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL,
    bureau_id uuid NOT NULL,
    price_list_id uuid
);
CREATE TABLE public.erp_document (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    type character varying(16) NOT NULL,
    status character varying(16) NOT NULL,
    number character varying(200) NOT NULL,
    year smallint NOT NULL,
    sequence integer NOT NULL,
    issued_on date NOT NULL,
    language character varying(2) NOT NULL,
    currency character varying(3) NOT NULL,
    net numeric(18,6),
    gross numeric(18,6),
    data jsonb NOT NULL,
    errors jsonb,
    bureau_id uuid NOT NULL,
    content_id character varying(64),
    corrects_id uuid,
    creator_id uuid NOT NULL,
    order_id uuid NOT NULL,
    quote_id uuid,
    series_id uuid,
    shipment_id uuid,
    customer_id uuid,
    CONSTRAINT erp_document_sequence_check CHECK ((sequence >= 0)),
    CONSTRAINT erp_document_year_check CHECK ((year >= 0))
);
CREATE TABLE public.erp_documentseries (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    type character varying(16) NOT NULL,
    prefix character varying(20) NOT NULL,
    next integer NOT NULL,
    yearly boolean NOT NULL,
    year smallint,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    CONSTRAINT erp_documentseries_next_check CHECK ((next >= 0)),
    CONSTRAINT erp_documentseries_year_check CHECK ((year >= 0))
);
CREATE TABLE public.erp_duemaintenance (
    id bigint NOT NULL,
    since timestamp with time zone NOT NULL,
    printer_id uuid NOT NULL,
    task_id uuid NOT NULL
);
ALTER TABLE public.erp_duemaintenance ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_duemaintenance_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_feature (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL,
    enabled boolean NOT NULL
);
CREATE TABLE public.erp_invitation (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    role character varying(16) NOT NULL,
    name character varying(200) NOT NULL,
    token_sha256 bytea,
    expires timestamp with time zone,
    accepted_by_id uuid,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL
);
CREATE TABLE public.erp_lineitem (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    order_id uuid,
    product_id uuid,
    model_uri character varying(500),
    no_model_upload boolean NOT NULL,
    name character varying(200) NOT NULL,
    status character varying(32) NOT NULL,
    quantity integer NOT NULL,
    base_material_id uuid,
    support_material_id uuid,
    workflow_id uuid,
    layer_thickness double precision,
    orientation character varying(16),
    config_uri character varying(500),
    support_strategy character varying(200) NOT NULL,
    infill_strategy character varying(200) NOT NULL,
    custom_field_values jsonb NOT NULL,
    customer_id character varying(200) NOT NULL,
    itar boolean,
    priority integer,
    notes text NOT NULL,
    estimates jsonb,
    slice_uri character varying(500),
    errors jsonb,
    price jsonb,
    review jsonb,
    manual_price jsonb,
    creator_id uuid NOT NULL,
    "position" integer,
    hold boolean DEFAULT false NOT NULL,
    CONSTRAINT erp_lineitem_quantity_check CHECK ((quantity >= 0))
);
CREATE TABLE public.erp_location (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    phone character varying(200) NOT NULL,
    address text NOT NULL,
    contact_uri character varying(500),
    creator_id uuid NOT NULL,
    attended_from smallint,
    attended_until smallint,
    quiet_from smallint,
    quiet_until smallint,
    CONSTRAINT erp_location_attended_from_check CHECK ((attended_from >= 0)),
    CONSTRAINT erp_location_attended_until_check CHECK ((attended_until >= 0)),
    CONSTRAINT erp_location_quiet_from_check CHECK ((quiet_from >= 0)),
    CONSTRAINT erp_location_quiet_until_check CHECK ((quiet_until >= 0))
);
CREATE TABLE public.erp_logo (
    bureau_id uuid NOT NULL,
    content bytea NOT NULL
);
CREATE TABLE public.erp_maintenanceentry (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    notes text NOT NULL,
    hours double precision NOT NULL,
    grams double precision NOT NULL,
    jobs integer NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    printer_id uuid NOT NULL,
    task_id uuid,
    CONSTRAINT erp_maintenanceentry_jobs_check CHECK ((jobs >= 0))
);
CREATE TABLE public.erp_maintenancetask (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    interval_hours double precision,
    interval_grams double precision,
    interval_jobs integer,
    interval_days integer,
    blocks boolean NOT NULL,
    notes text NOT NULL,
    bureau_id uuid NOT NULL,
    printer_type_id uuid NOT NULL,
    CONSTRAINT erp_maintenancetask_interval_days_check CHECK ((interval_days >= 0)),
    CONSTRAINT erp_maintenancetask_interval_jobs_check CHECK ((interval_jobs >= 0)),
    CONSTRAINT maintenance_task_has_interval CHECK (((interval_hours IS NOT NULL) OR (interval_grams IS NOT NULL) OR (interval_jobs IS NOT NULL) OR (interval_days IS NOT NULL)))
);
CREATE TABLE public.erp_manufacturer (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    address text NOT NULL,
    notes text NOT NULL,
    contact_name character varying(200) NOT NULL,
    contact_phone character varying(200) NOT NULL,
    support_name character varying(200) NOT NULL,
    support_phone character varying(200) NOT NULL
);
CREATE TABLE public.erp_material (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL,
    color character varying(7) NOT NULL,
    type character varying(16) NOT NULL,
    filament_type character varying(200) NOT NULL,
    manufacturer_id uuid,
    density double precision,
    cost numeric(18,6),
    post_processing_seconds double precision,
    third_party_fulfillment boolean NOT NULL,
    powder_density double precision,
    reorder_point bigint,
    stock_level character varying(8) DEFAULT 'ok'::character varying NOT NULL
);
CREATE VIEW public.erp_membershipbureau AS
 SELECT m.key AS uuid,
    m.created,
    m.created AS updated,
    b.uuid AS bureau_id,
    m.person AS user_id
   FROM (public.users_members() m(key, created, person, team)
     JOIN public.erp_bureau b ON ((b."group" = m.team)));
CREATE TABLE public.erp_membershiplocation (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    user_id uuid NOT NULL,
    location_id uuid NOT NULL
);
CREATE TABLE public.erp_message (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    moment character varying(32) NOT NULL,
    recipient character varying(254) NOT NULL,
    language character varying(2) NOT NULL,
    subject character varying(200) NOT NULL,
    text text NOT NULL,
    status character varying(16) NOT NULL,
    attempts integer NOT NULL,
    error character varying(200) NOT NULL,
    refused boolean NOT NULL,
    forced boolean NOT NULL,
    next_attempt timestamp with time zone,
    sent_at timestamp with time zone,
    message_id character varying(200) NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    order_id uuid,
    channel_id uuid,
    CONSTRAINT erp_message_attempts_check CHECK ((attempts >= 0))
);
CREATE TABLE public.erp_messagetemplate (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    moment character varying(16) NOT NULL,
    language character varying(2) NOT NULL,
    enabled boolean NOT NULL,
    subject character varying(200) NOT NULL,
    text text NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL
);
CREATE TABLE public.erp_modellibrary (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL,
    model_uri character varying(500) NOT NULL,
    material_id uuid,
    workflow_id uuid
);
CREATE TABLE public.erp_notificationchannel (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    url bytea NOT NULL,
    masked_url character varying(300) NOT NULL,
    moments jsonb NOT NULL,
    enabled boolean NOT NULL,
    last_sent timestamp with time zone,
    error character varying(200) NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL
);
CREATE TABLE public.erp_order (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    status character varying(16) NOT NULL,
    due_date timestamp with time zone,
    ip_sensitivity character varying(16),
    priority integer,
    currency character varying(3) NOT NULL,
    customer_email character varying(254) NOT NULL,
    customer_name character varying(200) NOT NULL,
    customer_po character varying(200) NOT NULL,
    notes text NOT NULL,
    order_owner character varying(200) NOT NULL,
    order_type character varying(200) NOT NULL,
    quote_number character varying(200) NOT NULL,
    region character varying(200) NOT NULL,
    business_segment character varying(200) NOT NULL,
    channel_representative character varying(200) NOT NULL,
    sales_representative character varying(200) NOT NULL,
    sales_status character varying(200) NOT NULL,
    shipping_address text NOT NULL,
    shipping_name character varying(200) NOT NULL,
    shipping_tracking character varying(200) NOT NULL,
    shipping_id uuid,
    customer_id uuid,
    price_list_id uuid,
    creator_id uuid NOT NULL,
    number integer DEFAULT 0 NOT NULL,
    is_instant boolean DEFAULT false NOT NULL,
    awaits_payment boolean DEFAULT false NOT NULL,
    balance numeric(18,6) DEFAULT 0 NOT NULL,
    net numeric(30,6),
    CONSTRAINT erp_order_number_check CHECK ((number >= 0))
);
CREATE TABLE public.erp_orderapproval (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    step character varying(16) NOT NULL,
    person character varying(200) NOT NULL,
    email character varying(254) NOT NULL,
    amount numeric(18,6),
    note text NOT NULL,
    bureau_id uuid NOT NULL,
    company_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    order_id uuid NOT NULL
);
CREATE TABLE public.erp_orderpayment (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    amount numeric(18,6) NOT NULL,
    paid_on date NOT NULL,
    note text NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    order_id uuid NOT NULL,
    reverses_id uuid,
    currency character varying(3) DEFAULT ''::character varying NOT NULL,
    method character varying(16) DEFAULT 'transfer'::character varying NOT NULL,
    reference character varying(255) DEFAULT ''::character varying NOT NULL,
    refunds_id uuid,
    CONSTRAINT payment_above_0 CHECK ((amount > (0)::numeric))
);
CREATE VIEW public.erp_permissionbureau AS
 SELECT g.key AS uuid,
    g.created,
    g.created AS updated,
    b.uuid AS bureau_id,
    g.person AS user_id,
    g.held AS "right"
   FROM (public.users_granted('erp'::text) g(key, created, person, object, held)
     JOIN public.erp_bureau b ON ((b.uuid = g.object)))
  WHERE (g.held = ANY (ARRAY['currency_conversion.all'::text, 'location.all'::text, 'manufacturer.all'::text, 'material.all'::text, 'post_processor_type.all'::text, 'printer_type.all'::text, 'service_provider.all'::text, 'shipping.all'::text, 'third_party.all'::text, 'bureau.permission.all'::text, 'customer.all'::text, 'price.all'::text]));
CREATE VIEW public.erp_permissionlocation AS
 SELECT g.key AS uuid,
    g.created,
    g.created AS updated,
    l.bureau_id,
    l.uuid AS location_id,
    g.person AS user_id,
    g.held AS "right"
   FROM (public.users_granted('erp'::text) g(key, created, person, object, held)
     JOIN public.erp_location l ON ((l.uuid = g.object)))
  WHERE (g.held = ANY (ARRAY['post_processor.all'::text, 'printer.all'::text, 'stock.all'::text, 'location.permission.all'::text]));
CREATE TABLE public.erp_piece (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    line_item_id uuid NOT NULL,
    number integer NOT NULL,
    status character varying(16) NOT NULL,
    model_uri character varying(500),
    config_uri character varying(500),
    step_id uuid,
    replica_of_id uuid,
    notes text NOT NULL,
    place_id bigint,
    CONSTRAINT erp_piece_number_check CHECK ((number >= 0))
);
CREATE TABLE public.erp_place (
    id bigint NOT NULL,
    run_id uuid NOT NULL,
    piece_id uuid NOT NULL,
    step_id uuid,
    "position" integer NOT NULL,
    transform jsonb,
    box jsonb,
    direction character varying(2) NOT NULL,
    label jsonb,
    CONSTRAINT erp_place_position_check CHECK (("position" >= 0))
);
ALTER TABLE public.erp_place ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_place_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_postprocessor (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    location_id uuid NOT NULL,
    post_processor_type_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    duration double precision
);
CREATE TABLE public.erp_postprocessortype (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL,
    manufacturer_id uuid,
    cost numeric(18,6),
    duration double precision
);
CREATE TABLE public.erp_postprocessortype_materials (
    id bigint NOT NULL,
    postprocessortype_id uuid NOT NULL,
    material_id uuid NOT NULL
);
ALTER TABLE public.erp_postprocessortype_materials ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_postprocessortype_materials_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_pricelist (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL,
    country character varying(2) NOT NULL,
    language character varying(2) NOT NULL,
    is_default boolean NOT NULL,
    least_total numeric(18,6),
    most_total numeric(18,6),
    ask_above numeric(18,6),
    most_quantity integer,
    most_hours double precision,
    sell_estimates boolean NOT NULL,
    hours_per_build double precision,
    seconds_per_layer double precision,
    tried jsonb NOT NULL,
    warnings jsonb NOT NULL,
    bureau_id uuid NOT NULL,
    calendar_id uuid,
    includes_tax boolean DEFAULT false NOT NULL,
    max_size double precision,
    max_weight double precision,
    percentages character varying(16) DEFAULT 'multiply'::character varying NOT NULL,
    since date,
    CONSTRAINT erp_pricelist_most_quantity_check CHECK ((most_quantity >= 0))
);
CREATE TABLE public.erp_pricetable (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    key character varying(64) NOT NULL,
    status character varying(16) NOT NULL,
    currency character varying(3) NOT NULL,
    asked jsonb NOT NULL,
    basis jsonb NOT NULL,
    cells jsonb NOT NULL,
    slices jsonb NOT NULL,
    waits_for jsonb NOT NULL,
    line_items jsonb NOT NULL,
    expires timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    customer_id uuid,
    errors jsonb
);
CREATE TABLE public.erp_priceterm (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    step character varying(16) NOT NULL,
    "position" integer NOT NULL,
    name character varying(200) NOT NULL,
    unit character varying(200) NOT NULL,
    amount numeric(18,6),
    factor numeric(18,6),
    formula text NOT NULL,
    "when" text NOT NULL,
    "on" character varying(200) NOT NULL,
    by character varying(200) NOT NULL,
    breaks jsonb NOT NULL,
    kind_of_break character varying(16) NOT NULL,
    may_fall boolean NOT NULL,
    rounding character varying(16) NOT NULL,
    countries jsonb NOT NULL,
    "least" numeric(18,6),
    most numeric(18,6),
    sentence jsonb NOT NULL,
    bureau_id uuid NOT NULL,
    price_list_id uuid NOT NULL,
    CONSTRAINT erp_priceterm_position_check CHECK (("position" >= 0))
);
CREATE TABLE public.erp_priceterm_customer_groups (
    id bigint NOT NULL,
    priceterm_id uuid NOT NULL,
    customergroup_id uuid NOT NULL
);
ALTER TABLE public.erp_priceterm_customer_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_priceterm_customer_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_priceterm_materials (
    id bigint NOT NULL,
    priceterm_id uuid NOT NULL,
    material_id uuid NOT NULL
);
ALTER TABLE public.erp_priceterm_materials ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_priceterm_materials_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_priceterm_post_processor_types (
    id bigint NOT NULL,
    priceterm_id uuid NOT NULL,
    postprocessortype_id uuid CONSTRAINT erp_priceterm_post_processor_type_postprocessortype_id_not_null NOT NULL
);
ALTER TABLE public.erp_priceterm_post_processor_types ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_priceterm_post_processor_types_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_priceterm_printer_types (
    id bigint NOT NULL,
    priceterm_id uuid NOT NULL,
    printertype_id uuid NOT NULL
);
ALTER TABLE public.erp_priceterm_printer_types ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_priceterm_printer_types_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_priceterm_shippings (
    id bigint NOT NULL,
    priceterm_id uuid NOT NULL,
    shipping_id uuid NOT NULL
);
ALTER TABLE public.erp_priceterm_shippings ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_priceterm_shippings_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_printdecision (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    decision character varying(8) NOT NULL,
    name character varying(200) NOT NULL,
    text text NOT NULL,
    findings jsonb NOT NULL,
    model_uri character varying(500),
    by_customer boolean NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    print_report_id uuid NOT NULL
);
CREATE TABLE public.erp_printer (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    location_id uuid NOT NULL,
    printer_type_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    status character varying(16) NOT NULL,
    modeler character varying(200) NOT NULL,
    driver character varying(16),
    maintenance boolean NOT NULL,
    plate character varying(16) NOT NULL,
    agent_id uuid,
    watched timestamp with time zone,
    auto_start boolean DEFAULT false NOT NULL,
    timelapse boolean DEFAULT false NOT NULL
);
CREATE TABLE public.erp_printer_loaded (
    id bigint NOT NULL,
    printer_id uuid NOT NULL,
    stock_id uuid NOT NULL
);
ALTER TABLE public.erp_printer_loaded ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_printer_loaded_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_printertype (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL,
    manufacturer_id uuid,
    technology character varying(200) NOT NULL,
    build_x double precision NOT NULL,
    build_y double precision NOT NULL,
    build_z double precision NOT NULL,
    build_packer_type character varying(16) NOT NULL,
    minimum_packing_distance double precision NOT NULL,
    allowed_orientations character varying(16) NOT NULL,
    packing_mode character varying(16) NOT NULL,
    config_uri character varying(500),
    preset_uri character varying(500),
    print_preset_uri character varying(500),
    filaments jsonb NOT NULL,
    firmware character varying(16),
    slice_runs boolean NOT NULL,
    time_factor double precision NOT NULL,
    time_per_run double precision NOT NULL,
    running_cost_per_hour numeric(18,6),
    material_cost_scale_factor double precision NOT NULL,
    print_cost_scale_factor double precision NOT NULL,
    constant_overhead numeric(18,6),
    outline jsonb NOT NULL,
    refresh_ratio double precision,
    infill double precision,
    layer_height double precision,
    supports character varying(8) NOT NULL,
    plan_runs boolean DEFAULT false NOT NULL,
    power double precision,
    printer_gcode_uri character varying(500),
    engine_uri character varying(500)
);
CREATE TABLE public.erp_printertype_materials (
    id bigint NOT NULL,
    printertype_id uuid NOT NULL,
    material_id uuid NOT NULL
);
ALTER TABLE public.erp_printertype_materials ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_printertype_materials_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_printreport (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    model_uri character varying(500) NOT NULL,
    status character varying(16) NOT NULL,
    limits jsonb NOT NULL,
    findings jsonb NOT NULL,
    not_checked jsonb NOT NULL,
    gone jsonb NOT NULL,
    verdict character varying(8),
    needs_decision boolean NOT NULL,
    errors jsonb,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    line_item_id uuid NOT NULL,
    order_id uuid NOT NULL
);
CREATE TABLE public.erp_printreportfile (
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    key character varying(64) NOT NULL,
    data jsonb NOT NULL,
    status character varying(16) NOT NULL,
    errors jsonb,
    content_id character varying(64),
    order_id uuid NOT NULL
);
CREATE TABLE public.erp_printspeed (
    key character varying(64) NOT NULL,
    "time" jsonb NOT NULL,
    volume jsonb NOT NULL,
    within double precision NOT NULL,
    learnt_from integer NOT NULL,
    updated timestamp with time zone NOT NULL,
    CONSTRAINT erp_printspeed_learnt_from_check CHECK ((learnt_from >= 0))
);
CREATE TABLE public.erp_processlimits (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    process character varying(8) NOT NULL,
    wall_fault double precision,
    wall_risk double precision,
    gap_risk double precision,
    shell_risk double precision,
    decision_from character varying(8),
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    printer_type_id uuid
);
CREATE TABLE public.erp_processstep (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    step_position integer NOT NULL,
    printer_type_id uuid,
    post_processor_type_id uuid,
    shipping_id uuid,
    notes text NOT NULL,
    CONSTRAINT erp_processstep_step_position_check CHECK ((step_position >= 0)),
    CONSTRAINT step_of_one_process CHECK ((((post_processor_type_id IS NULL) AND (printer_type_id IS NOT NULL) AND (shipping_id IS NULL)) OR ((post_processor_type_id IS NOT NULL) AND (printer_type_id IS NULL) AND (shipping_id IS NULL)) OR ((post_processor_type_id IS NULL) AND (printer_type_id IS NULL) AND (shipping_id IS NOT NULL))))
);
CREATE TABLE public.erp_product (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    order_id uuid NOT NULL,
    model_library_id uuid NOT NULL,
    name character varying(200) NOT NULL
);
CREATE TABLE public.erp_quote (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    order_id uuid NOT NULL,
    status character varying(16) NOT NULL,
    amount numeric(18,6),
    currency character varying(3) NOT NULL,
    net numeric(18,6),
    taxes jsonb NOT NULL,
    gross numeric(18,6),
    lines jsonb NOT NULL,
    lead_time double precision,
    expires timestamp with time zone NOT NULL,
    accepted timestamp with time zone,
    creator_id uuid NOT NULL,
    accepted_by character varying(200) DEFAULT ''::character varying NOT NULL
);
CREATE TABLE public.erp_receivedfile (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    status character varying(16) NOT NULL,
    slicer character varying(200) NOT NULL,
    print_requested boolean NOT NULL,
    gcode_uri character varying(500),
    model_uri character varying(500),
    errors jsonb,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    run_id uuid,
    slicer_key_id uuid
);
CREATE TABLE public.erp_reservation (
    id bigint NOT NULL,
    amount bigint NOT NULL,
    material_id uuid NOT NULL,
    run_id uuid NOT NULL,
    stock_id uuid
);
ALTER TABLE public.erp_reservation ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_reservation_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_run (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    operation character varying(16) NOT NULL,
    status character varying(16) NOT NULL,
    printer_id uuid,
    printer_type_id uuid,
    post_processor_id uuid,
    shipping_id uuid,
    do_build_volume_check boolean NOT NULL,
    packing jsonb NOT NULL,
    config_uri character varying(500),
    slice_uri character varying(500),
    slicing character varying(16),
    slicing_errors jsonb,
    gcode_uri character varying(500),
    model_uri character varying(500),
    content_3mf_id character varying(64),
    snapshots jsonb NOT NULL,
    report jsonb,
    estimates jsonb,
    errors jsonb,
    progress double precision,
    started timestamp with time zone,
    finished timestamp with time zone,
    notes text NOT NULL,
    creator_id uuid NOT NULL,
    any_of_type boolean NOT NULL,
    material_id uuid
);
CREATE TABLE public.erp_serviceprovider (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL
);
CREATE TABLE public.erp_shapenumbers (
    sha256 character varying(64) NOT NULL,
    steep double precision NOT NULL,
    flat double precision NOT NULL,
    hull double precision,
    overhang double precision
);
CREATE TABLE public.erp_sharelink (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    token_sha256 bytea,
    expires timestamp with time zone,
    revoked boolean DEFAULT false NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    order_id uuid NOT NULL
);
CREATE TABLE public.erp_shipment (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    number integer NOT NULL,
    status character varying(16) NOT NULL,
    carrier character varying(200) NOT NULL,
    tracking_number character varying(200) NOT NULL,
    tracking_url character varying(500) NOT NULL,
    address text NOT NULL,
    shipped timestamp with time zone,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    order_id uuid NOT NULL,
    CONSTRAINT erp_shipment_number_check CHECK ((number >= 0))
);
CREATE TABLE public.erp_shipmentline (
    id bigint NOT NULL,
    quantity integer NOT NULL,
    line_item_id uuid NOT NULL,
    shipment_id uuid NOT NULL,
    CONSTRAINT erp_shipmentline_quantity_check CHECK ((quantity >= 0)),
    CONSTRAINT shipment_line_above_0 CHECK ((quantity > 0))
);
ALTER TABLE public.erp_shipmentline ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_shipmentline_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_shipping (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL,
    region character varying(200) NOT NULL,
    cost numeric(18,6)
);
CREATE TABLE public.erp_slicerkey (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    last_used timestamp with time zone,
    secret_sha256 bytea,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    printer_type_id uuid,
    sealed_secret bytea
);
CREATE TABLE public.erp_staffnotification (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    moment character varying(16) NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL
);
CREATE TABLE public.erp_stock (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    location_id uuid NOT NULL,
    material_id uuid NOT NULL,
    status character varying(200) NOT NULL,
    quantity double precision NOT NULL,
    expires timestamp with time zone,
    initial bigint,
    lot character varying(200) NOT NULL,
    opened timestamp with time zone,
    price numeric(18,6),
    received timestamp with time zone,
    remaining bigint,
    reserved bigint NOT NULL,
    supplier character varying(200) NOT NULL,
    unit character varying(2) NOT NULL,
    spoolman_id integer,
    spoolman_left bigint,
    CONSTRAINT erp_stock_spoolman_id_check CHECK ((spoolman_id >= 0))
);
CREATE TABLE public.erp_stockmovement (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    kind character varying(16) NOT NULL,
    amount bigint NOT NULL,
    source character varying(16) NOT NULL,
    notes text NOT NULL,
    attempt_id uuid,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    run_id uuid,
    stock_id uuid NOT NULL,
    CONSTRAINT movement_of_its_kind CHECK ((((amount > 0) AND ((kind)::text = ANY (ARRAY[('receipt'::character varying)::text, ('return'::character varying)::text]))) OR ((amount < 0) AND ((kind)::text = ANY (ARRAY[('use'::character varying)::text, ('reject'::character varying)::text]))) OR (((kind)::text = 'correction'::text) AND (NOT (amount = 0)))))
);
CREATE TABLE public.erp_storefront (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    slug character varying(63) NOT NULL,
    title character varying(200) NOT NULL,
    text text NOT NULL,
    enabled boolean NOT NULL,
    review character varying(16) NOT NULL,
    review_above numeric(18,6),
    max_files integer NOT NULL,
    max_megabytes integer NOT NULL,
    visits_per_hour integer NOT NULL,
    days_kept integer NOT NULL,
    bureau_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    price_list_id uuid NOT NULL,
    infill_strategies jsonb DEFAULT '[]'::jsonb NOT NULL,
    layer_thicknesses jsonb DEFAULT '[]'::jsonb NOT NULL,
    support_strategies jsonb DEFAULT '[]'::jsonb NOT NULL,
    origins jsonb DEFAULT '[]'::jsonb NOT NULL,
    prepayment boolean DEFAULT false NOT NULL,
    CONSTRAINT erp_storefront_days_kept_check CHECK ((days_kept >= 0)),
    CONSTRAINT erp_storefront_max_files_check CHECK ((max_files >= 0)),
    CONSTRAINT erp_storefront_max_megabytes_check CHECK ((max_megabytes >= 0)),
    CONSTRAINT erp_storefront_visits_per_hour_check CHECK ((visits_per_hour >= 0))
);
CREATE TABLE public.erp_storefront_materials (
    id bigint NOT NULL,
    storefront_id uuid NOT NULL,
    material_id uuid NOT NULL
);
ALTER TABLE public.erp_storefront_materials ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_storefront_materials_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_storefront_post_processor_types (
    id bigint NOT NULL,
    storefront_id uuid NOT NULL,
    postprocessortype_id uuid CONSTRAINT erp_storefront_post_processor_typ_postprocessortype_id_not_null NOT NULL
);
ALTER TABLE public.erp_storefront_post_processor_types ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.erp_storefront_post_processor_types_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.erp_taxrule (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    category character varying(2) NOT NULL,
    country character varying(2) NOT NULL,
    rate numeric(18,6) NOT NULL,
    oss boolean NOT NULL,
    since date,
    sentence jsonb NOT NULL,
    bureau_id uuid NOT NULL
);
CREATE TABLE public.erp_thirdparty (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL
);
CREATE TABLE public.erp_timelapse (
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    key character varying(32) NOT NULL,
    status character varying(16) NOT NULL,
    errors jsonb,
    media_type character varying(16) NOT NULL,
    attempt_id uuid NOT NULL,
    content_id character varying(64)
);
CREATE TABLE public.erp_workflow (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    bureau_id uuid NOT NULL,
    name character varying(200) NOT NULL
);
CREATE TABLE public.erp_workingcalendar (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    time_zone character varying(64) NOT NULL,
    cut_off smallint NOT NULL,
    weekdays jsonb NOT NULL,
    holidays jsonb NOT NULL,
    hours_a_day double precision NOT NULL,
    shipping_days smallint NOT NULL,
    bureau_id uuid NOT NULL,
    CONSTRAINT erp_workingcalendar_cut_off_check CHECK ((cut_off >= 0)),
    CONSTRAINT erp_workingcalendar_shipping_days_check CHECK ((shipping_days >= 0))
);
CREATE TABLE public.integrations_operation (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    updated timestamp with time zone NOT NULL,
    deleted timestamp with time zone,
    service_id uuid NOT NULL,
    model_uri character varying(500) NOT NULL,
    parameters jsonb NOT NULL,
    status character varying(16) NOT NULL,
    attempts jsonb NOT NULL,
    deadline timestamp with time zone,
    heard timestamp with time zone,
    reported timestamp with time zone,
    told timestamp with time zone,
    tell_at timestamp with time zone,
    upload_id character varying(64),
    outputs jsonb,
    result_uri character varying(500) NOT NULL,
    result_name character varying(255) NOT NULL,
    result_type character varying(8) NOT NULL,
    result_sha256 character varying(64) NOT NULL,
    result_models jsonb DEFAULT '[]'::jsonb NOT NULL
);
CREATE TABLE public.integrations_service (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL,
    type character varying(64) NOT NULL,
    group_key uuid,
    service_url character varying(2048) NOT NULL,
    service_method character varying(4) NOT NULL,
    schema jsonb NOT NULL,
    creator_id uuid,
    deleted timestamp with time zone,
    updated timestamp with time zone NOT NULL
);
CREATE TABLE public.payment_charge (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    namespace character varying(64) NOT NULL,
    action character varying(64) NOT NULL,
    type character varying(32) NOT NULL,
    source character varying(500) NOT NULL,
    amount numeric(16,4) NOT NULL,
    currency character varying(3) NOT NULL,
    cost_centre character varying(64) NOT NULL,
    status character varying(16) NOT NULL,
    invoice_id uuid,
    corrects_id uuid,
    CONSTRAINT recorded_on_an_invoice CHECK (((((status)::text = 'recorded'::text) OR (invoice_id IS NULL)) AND (1 = (
CASE
    WHEN ((status)::text = 'recorded'::text) THEN 1
    ELSE 0
END +
CASE
    WHEN (invoice_id IS NULL) THEN 1
    ELSE 0
END))))
);
CREATE TABLE public.payment_consent (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    updated timestamp with time zone NOT NULL,
    deleted timestamp with time zone,
    namespace character varying(64) NOT NULL,
    action character varying(64) NOT NULL,
    consented boolean NOT NULL,
    per_charge numeric(16,4),
    per_month numeric(16,4),
    currency character varying(3) NOT NULL,
    cost_centre character varying(64) NOT NULL
);
CREATE TABLE public.payment_invoice (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    month date NOT NULL,
    currency character varying(3) NOT NULL,
    status character varying(16) NOT NULL,
    issued timestamp with time zone,
    due timestamp with time zone NOT NULL,
    payment_uuid uuid
);
CREATE TABLE public.payment_invoiceevent (
    id bigint NOT NULL,
    invoice_id uuid NOT NULL,
    action character varying(16) NOT NULL,
    cost numeric(16,4) NOT NULL,
    actor_id uuid,
    note character varying(500) NOT NULL,
    created timestamp with time zone NOT NULL
);
ALTER TABLE public.payment_invoiceevent ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.payment_invoiceevent_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.payment_payment (
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    uuid uuid NOT NULL,
    invoice_id uuid NOT NULL,
    type character varying(16) NOT NULL,
    status character varying(16) NOT NULL,
    reference character varying(255) NOT NULL,
    error character varying(500) NOT NULL
);
CREATE TABLE public.payment_paymentmethod (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    updated timestamp with time zone NOT NULL,
    deleted timestamp with time zone,
    type character varying(16) NOT NULL,
    status character varying(16) NOT NULL,
    errors jsonb,
    customer character varying(255) NOT NULL,
    reference character varying(255) NOT NULL,
    setup_url character varying(2048) NOT NULL
);
CREATE TABLE public.payment_paymentstatus (
    uuid uuid NOT NULL,
    owner_id uuid NOT NULL,
    price_id uuid NOT NULL
);
CREATE TABLE public.payment_price (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    namespace character varying(64) NOT NULL,
    action character varying(64) NOT NULL,
    service character varying(500) NOT NULL,
    amount numeric(16,4) NOT NULL,
    currency character varying(3) NOT NULL,
    type character varying(32) NOT NULL,
    updated timestamp with time zone NOT NULL,
    deleted timestamp with time zone,
    CONSTRAINT price_is_positive CHECK ((amount > (0)::numeric))
);
CREATE TABLE public.sales_customeraccount (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    bureau character varying(500) NOT NULL,
    email character varying(254) NOT NULL,
    name character varying(200) NOT NULL,
    company character varying(200) NOT NULL,
    vat_number character varying(32) NOT NULL,
    billing_address jsonb,
    delivery_address jsonb,
    password character varying(128) NOT NULL,
    confirmed timestamp with time zone NOT NULL,
    user_id uuid NOT NULL
);
CREATE TABLE public.sales_customerlink (
    uuid uuid NOT NULL,
    storefront character varying(63) NOT NULL,
    bureau character varying(500) NOT NULL,
    email character varying(254) NOT NULL,
    token_sha256 bytea NOT NULL,
    expires timestamp with time zone NOT NULL,
    used timestamp with time zone
);
CREATE TABLE public.sales_visit (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    storefront character varying(63) NOT NULL,
    bureau character varying(500) NOT NULL,
    expires timestamp with time zone NOT NULL,
    guest_id uuid NOT NULL,
    cart jsonb DEFAULT '[]'::jsonb NOT NULL,
    account_id uuid,
    session uuid
);
CREATE TABLE public.search_descriptor (
    id bigint NOT NULL,
    content_hash character varying(64) NOT NULL,
    version smallint NOT NULL,
    vector public.halfvec(324) NOT NULL,
    radius_major double precision NOT NULL,
    radius_middle double precision NOT NULL,
    radius_minor double precision NOT NULL,
    area_ratio double precision NOT NULL,
    volume_ratio double precision,
    rms double precision NOT NULL,
    diagonal double precision NOT NULL,
    triangles integer NOT NULL,
    created timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.search_descriptor ALTER COLUMN vector SET STORAGE PLAIN;
ALTER TABLE public.search_descriptor ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.search_descriptor_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.search_indexedmodel (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    updated timestamp with time zone NOT NULL,
    deleted timestamp with time zone,
    name character varying(255) NOT NULL,
    description character varying(1000) NOT NULL,
    model_uri character varying(2048) NOT NULL,
    model_uuid uuid,
    status character varying(16) NOT NULL,
    error character varying(1000) NOT NULL,
    content_hash character varying(64) NOT NULL
);
CREATE TABLE public.search_paircheck (
    id bigint NOT NULL,
    first_hash character varying(64) NOT NULL,
    second_hash character varying(64) NOT NULL,
    version smallint NOT NULL,
    comparison jsonb,
    error character varying(1000) NOT NULL,
    created timestamp with time zone NOT NULL,
    CONSTRAINT compared_in_order CHECK (((first_hash)::text < (second_hash)::text))
);
ALTER TABLE public.search_paircheck ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.search_paircheck_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.slicing_agentengine (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    agent uuid NOT NULL,
    bureau uuid NOT NULL,
    location uuid NOT NULL,
    agent_name character varying(200) NOT NULL,
    program character varying(16) NOT NULL,
    version character varying(100) NOT NULL,
    isolation character varying(16) NOT NULL,
    seen timestamp with time zone NOT NULL
);
CREATE TABLE public.slicing_association (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    updated timestamp with time zone NOT NULL,
    deleted timestamp with time zone,
    constraint_id uuid NOT NULL,
    model_uri character varying(500) NOT NULL,
    model_uuid uuid NOT NULL
);
CREATE TABLE public.slicing_config (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    updated timestamp with time zone NOT NULL,
    deleted timestamp with time zone,
    engine character varying(16) NOT NULL,
    kind character varying(8) NOT NULL,
    description character varying(1000) NOT NULL,
    parameters jsonb NOT NULL,
    notes jsonb NOT NULL,
    preset jsonb,
    content_id character varying(64) NOT NULL,
    fitted boolean DEFAULT false NOT NULL,
    agent_engine_id uuid
);
CREATE TABLE public.slicing_constraint (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    updated timestamp with time zone NOT NULL,
    deleted timestamp with time zone,
    name character varying(255) NOT NULL,
    description character varying(1000) NOT NULL,
    parameters jsonb NOT NULL
);
CREATE TABLE public.slicing_enginejob (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    status character varying(8) NOT NULL,
    updated timestamp with time zone NOT NULL,
    model character varying(100) NOT NULL,
    queued timestamp with time zone NOT NULL,
    taken timestamp with time zone,
    heard timestamp with time zone,
    starts smallint NOT NULL,
    progress double precision NOT NULL,
    reason character varying(16) NOT NULL,
    log text NOT NULL,
    seconds double precision NOT NULL,
    version character varying(100) NOT NULL,
    content_id character varying(64),
    engine_id uuid NOT NULL,
    slice_id uuid NOT NULL,
    CONSTRAINT slicing_enginejob_starts_check CHECK ((starts >= 0))
);
CREATE TABLE public.slicing_enginejobfile (
    id bigint NOT NULL,
    name character varying(100) NOT NULL,
    content_id character varying(64) NOT NULL,
    job_id uuid NOT NULL
);
ALTER TABLE public.slicing_enginejobfile ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.slicing_enginejobfile_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.slicing_gcode (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    updated timestamp with time zone NOT NULL,
    deleted timestamp with time zone,
    name character varying(255) NOT NULL,
    status character varying(16) NOT NULL,
    errors jsonb,
    content_id character varying(64),
    file_size bigint,
    figures jsonb,
    layers_id character varying(64),
    container character varying(16) DEFAULT ''::character varying NOT NULL,
    text_id character varying(64),
    first_plate_id uuid,
    metadata jsonb,
    plate smallint,
    CONSTRAINT slicing_gcode_plate_check CHECK ((plate >= 0))
);
CREATE TABLE public.slicing_layerpaths (
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    key character varying(64) NOT NULL,
    status character varying(16) NOT NULL,
    errors jsonb,
    content_id character varying(64),
    layers_id character varying(64) NOT NULL,
    source_id character varying(64) NOT NULL
);
CREATE TABLE public.slicing_printergcode (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    deleted timestamp with time zone,
    preset_uuid uuid NOT NULL,
    preset_name character varying(200) NOT NULL,
    preset_digest character varying(64) NOT NULL,
    start_gcode text NOT NULL,
    before_layer_gcode text NOT NULL,
    layer_gcode text NOT NULL,
    end_gcode text NOT NULL,
    status character varying(16) NOT NULL,
    errors jsonb,
    test jsonb,
    owner_id uuid NOT NULL
);
CREATE TABLE public.slicing_slice (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    updated timestamp with time zone NOT NULL,
    deleted timestamp with time zone,
    model_uri character varying(500) NOT NULL,
    config_id uuid NOT NULL,
    status character varying(16) NOT NULL,
    progress double precision NOT NULL,
    stage character varying(100) NOT NULL,
    errors jsonb,
    warnings jsonb NOT NULL,
    content_id character varying(64),
    plate jsonb,
    objects_on_plate jsonb,
    slice_time integer,
    estimates jsonb,
    figures jsonb,
    layers_id character varying(64),
    model_sha256 character varying(64) NOT NULL,
    engine_version character varying(100) NOT NULL,
    key character varying(64) NOT NULL,
    charged boolean NOT NULL,
    job character varying(36) NOT NULL,
    program character varying(16) DEFAULT ''::character varying NOT NULL
);
CREATE TABLE public.users_apitoken (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    user_id uuid NOT NULL,
    name character varying(200) NOT NULL,
    secret_sha256 bytea NOT NULL,
    namespaces character varying(50)[],
    read_only boolean NOT NULL,
    expires timestamp with time zone,
    last_used timestamp with time zone
);
CREATE TABLE public.users_auditevent (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    action character varying(64) NOT NULL,
    actor_id uuid,
    "on" text NOT NULL,
    before jsonb,
    after jsonb,
    address character varying(64) NOT NULL,
    request_id character varying(128) NOT NULL,
    token uuid
);
CREATE TABLE public.users_group (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    name character varying(200) NOT NULL,
    description text NOT NULL,
    creator_id uuid
);
CREATE TABLE public.users_login (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    session_id character varying(40) NOT NULL,
    user_id uuid NOT NULL,
    address character varying(64) NOT NULL,
    user_agent character varying(400) NOT NULL,
    last_used timestamp with time zone NOT NULL
);
CREATE TABLE public.users_membership (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    user_id uuid NOT NULL,
    group_id uuid NOT NULL,
    created_by_id uuid
);
CREATE TABLE public.users_notification (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    kind character varying(32) NOT NULL,
    shop character varying(500) NOT NULL,
    subject character varying(500) NOT NULL,
    data jsonb NOT NULL,
    count integer NOT NULL,
    updated timestamp with time zone NOT NULL,
    read timestamp with time zone,
    recipient_id uuid NOT NULL,
    CONSTRAINT users_notification_count_check CHECK ((count >= 0))
);
CREATE TABLE public.users_permission (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    holder text NOT NULL,
    namespace text NOT NULL,
    object text NOT NULL,
    "right" text NOT NULL,
    holder_posted text,
    object_posted text,
    holder_uuid uuid,
    object_uuid uuid,
    created_by_id uuid,
    object_owner_id uuid
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_insert_scale_factor='0.02');
CREATE TABLE public.users_recoverycode (
    id bigint NOT NULL,
    factor_id uuid NOT NULL,
    sha256 bytea NOT NULL
);
ALTER TABLE public.users_recoverycode ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.users_recoverycode_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.users_savedview (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    name character varying(100) NOT NULL,
    page character varying(100) NOT NULL,
    query character varying(2000) NOT NULL,
    updated timestamp with time zone NOT NULL,
    user_id uuid NOT NULL
);
CREATE TABLE public.users_secondfactor (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    user_id uuid NOT NULL,
    salt bytea NOT NULL,
    confirmed timestamp with time zone,
    last_step bigint NOT NULL
);
CREATE TABLE public.users_user (
    password character varying(128) NOT NULL,
    last_login timestamp with time zone,
    is_superuser boolean NOT NULL,
    is_staff boolean NOT NULL,
    is_active boolean NOT NULL,
    date_joined timestamp with time zone NOT NULL,
    uuid uuid NOT NULL,
    username character varying(150) NOT NULL,
    look character varying(600),
    name character varying(200) NOT NULL,
    email character varying(254) NOT NULL,
    address text NOT NULL,
    company character varying(200) NOT NULL,
    is_platform_service boolean NOT NULL,
    network uuid,
    turn_weight smallint DEFAULT 1 NOT NULL,
    tos_accepted timestamp with time zone,
    convert_uploads boolean DEFAULT true NOT NULL,
    guest_until timestamp with time zone,
    muted_notifications character varying(32)[] DEFAULT '{}'::character varying(32)[] NOT NULL,
    CONSTRAINT users_user_turn_weight_check CHECK ((turn_weight >= 0))
);
CREATE TABLE public.users_user_groups (
    id bigint NOT NULL,
    user_id uuid NOT NULL,
    group_id integer NOT NULL
);
ALTER TABLE public.users_user_groups ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.users_user_groups_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.users_user_user_permissions (
    id bigint NOT NULL,
    user_id uuid NOT NULL,
    permission_id integer NOT NULL
);
ALTER TABLE public.users_user_user_permissions ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.users_user_user_permissions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.warehouse_label (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    folder character varying(255) NOT NULL,
    tags character varying(64)[] NOT NULL,
    updated timestamp with time zone NOT NULL,
    model_id uuid NOT NULL,
    owner_id uuid NOT NULL
);
CREATE TABLE public.warehouse_model (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    updated timestamp with time zone NOT NULL,
    deleted timestamp with time zone,
    name character varying(255) NOT NULL,
    type character varying(8) NOT NULL,
    status character varying(16) NOT NULL,
    errors jsonb,
    may_resize boolean NOT NULL,
    may_rotate boolean NOT NULL,
    unit character varying(16) NOT NULL,
    content_id character varying(64),
    canonical_id character varying(64),
    file_size bigint,
    analyses jsonb,
    manifold boolean GENERATED ALWAYS AS (((analyses ->> 'manifold'::text))::boolean) STORED,
    size_x double precision GENERATED ALWAYS AS (((analyses #>> '{size,0}'::text[]))::double precision) STORED,
    size_y double precision GENERATED ALWAYS AS (((analyses #>> '{size,1}'::text[]))::double precision) STORED,
    size_z double precision GENERATED ALWAYS AS (((analyses #>> '{size,2}'::text[]))::double precision) STORED,
    volume double precision GENERATED ALWAYS AS (((analyses ->> 'volume'::text))::double precision) STORED,
    printability jsonb,
    picture_id character varying(64),
    transformations jsonb,
    small_picture_id character varying(64),
    conversion jsonb,
    source jsonb
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_insert_scale_factor='0.02');
CREATE TABLE public.warehouse_model_parents (
    id bigint NOT NULL,
    from_model_id uuid NOT NULL,
    to_model_id uuid NOT NULL
);
ALTER TABLE public.warehouse_model_parents ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.warehouse_model_parents_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.warehouse_modelversion (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    series uuid NOT NULL,
    number integer NOT NULL,
    note character varying(1000) NOT NULL,
    updated timestamp with time zone NOT NULL,
    model_id uuid NOT NULL,
    owner_id uuid,
    CONSTRAINT warehouse_modelversion_number_check CHECK ((number >= 0))
);
CREATE TABLE public.warehouse_rendition (
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    key character varying(64) NOT NULL,
    kind character varying(16) NOT NULL,
    status character varying(16) NOT NULL,
    errors jsonb,
    source_id character varying(64) NOT NULL,
    closed boolean NOT NULL,
    content_id character varying(64),
    triangles integer
);
CREATE TABLE public.warehouse_snapshot (
    uuid uuid NOT NULL,
    created timestamp with time zone NOT NULL,
    updated timestamp with time zone NOT NULL,
    model_id uuid NOT NULL,
    owner_id uuid,
    is_default boolean NOT NULL,
    status character varying(16) NOT NULL,
    errors jsonb,
    progress double precision NOT NULL,
    view jsonb NOT NULL,
    camera jsonb,
    key character varying(64) NOT NULL,
    content_id character varying(64)
);
ALTER TABLE ONLY dramatiq.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (message_id);
ALTER TABLE ONLY dramatiq.result
    ADD CONSTRAINT result_pkey PRIMARY KEY (message_id);
ALTER TABLE ONLY dramatiq.worker
    ADD CONSTRAINT worker_pkey PRIMARY KEY (worker_id);
ALTER TABLE ONLY public.slicing_agentengine
    ADD CONSTRAINT agent_program UNIQUE (agent, program);
ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_name_key UNIQUE (name);
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_permission_id_0cd325b0_uniq UNIQUE (group_id, permission_id);
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_group
    ADD CONSTRAINT auth_group_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_codename_01ab375a_uniq UNIQUE (content_type_id, codename);
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_bankaccount
    ADD CONSTRAINT bank_account_once UNIQUE (bureau_id);
ALTER TABLE ONLY public.callbacks_bureaucounter
    ADD CONSTRAINT callbacks_bureaucounter_pkey PRIMARY KEY (bureau);
ALTER TABLE ONLY public.callbacks_delivery
    ADD CONSTRAINT callbacks_delivery_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.callbacks_event
    ADD CONSTRAINT callbacks_event_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.callbacks_eventcounter
    ADD CONSTRAINT callbacks_eventcounter_pkey PRIMARY KEY (owner_id);
ALTER TABLE ONLY public.callbacks_origin
    ADD CONSTRAINT callbacks_origin_origin_key UNIQUE (origin);
ALTER TABLE ONLY public.callbacks_origin
    ADD CONSTRAINT callbacks_origin_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.callbacks_outcome
    ADD CONSTRAINT callbacks_outcome_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.callbacks_senderclock
    ADD CONSTRAINT callbacks_senderclock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.callbacks_sink
    ADD CONSTRAINT callbacks_sink_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.callbacks_sink
    ADD CONSTRAINT callbacks_sink_token_key UNIQUE (token);
ALTER TABLE ONLY public.callbacks_subscription
    ADD CONSTRAINT callbacks_subscription_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.callbacks_sunkrequest
    ADD CONSTRAINT callbacks_sunkrequest_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.callbacks_webhooksecret
    ADD CONSTRAINT callbacks_webhooksecret_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_cardaccount
    ADD CONSTRAINT card_account_once UNIQUE (bureau_id);
ALTER TABLE ONLY public.search_paircheck
    ADD CONSTRAINT compared_once UNIQUE (first_hash, second_hash, version);
ALTER TABLE ONLY public.erp_currencyconversion
    ADD CONSTRAINT converted_once UNIQUE (bureau_id, currency);
ALTER TABLE ONLY public.core_blob
    ADD CONSTRAINT core_blob_pkey PRIMARY KEY (sha256);
ALTER TABLE ONLY public.core_canary
    ADD CONSTRAINT core_canary_pkey PRIMARY KEY (queue);
ALTER TABLE ONLY public.core_counter
    ADD CONSTRAINT core_counter_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.core_damagedfile
    ADD CONSTRAINT core_damagedfile_pkey PRIMARY KEY (sha256);
ALTER TABLE ONLY public.core_doomedfile
    ADD CONSTRAINT core_doomedfile_pkey PRIMARY KEY (sha256);
ALTER TABLE ONLY public.core_fault
    ADD CONSTRAINT core_fault_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.core_idempotentanswer
    ADD CONSTRAINT core_idempotentanswer_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.core_installation
    ADD CONSTRAINT core_installation_pkey PRIMARY KEY (one);
ALTER TABLE ONLY public.core_jobstart
    ADD CONSTRAINT core_jobstart_pkey PRIMARY KEY (message);
ALTER TABLE ONLY public.core_limit
    ADD CONSTRAINT core_limit_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.core_pace
    ADD CONSTRAINT core_pace_pkey PRIMARY KEY (actor);
ALTER TABLE ONLY public.core_usage
    ADD CONSTRAINT core_usage_pkey PRIMARY KEY (account);
ALTER TABLE ONLY public.core_counter
    ADD CONSTRAINT counter_window UNIQUE (key, "window");
ALTER TABLE ONLY public.sales_customeraccount
    ADD CONSTRAINT customer_account_once UNIQUE (bureau, email);
ALTER TABLE ONLY public.callbacks_delivery
    ADD CONSTRAINT delivery_sequence UNIQUE (lane, seq);
ALTER TABLE ONLY public.search_descriptor
    ADD CONSTRAINT descriptor_content UNIQUE (content_hash, version);
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_app_label_model_76bd3d3b_uniq UNIQUE (app_label, model);
ALTER TABLE ONLY public.django_content_type
    ADD CONSTRAINT django_content_type_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_migrations
    ADD CONSTRAINT django_migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.django_session
    ADD CONSTRAINT django_session_pkey PRIMARY KEY (session_key);
ALTER TABLE ONLY public.erp_document
    ADD CONSTRAINT document_numbered_once UNIQUE (series_id, year, sequence);
ALTER TABLE ONLY public.erp_document
    ADD CONSTRAINT document_of_quote_once UNIQUE (quote_id);
ALTER TABLE ONLY public.erp_document
    ADD CONSTRAINT document_of_shipment_once UNIQUE (shipment_id);
ALTER TABLE ONLY public.erp_documentseries
    ADD CONSTRAINT document_series_once UNIQUE (bureau_id, type);
ALTER TABLE ONLY public.erp_duemaintenance
    ADD CONSTRAINT due_maintenance_once UNIQUE (printer_id, task_id);
ALTER TABLE ONLY public.slicing_enginejobfile
    ADD CONSTRAINT engine_job_file UNIQUE (job_id, name);
ALTER TABLE ONLY public.erp_agent
    ADD CONSTRAINT erp_agent_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_attempt_loaded
    ADD CONSTRAINT erp_attempt_loaded_attempt_id_stock_id_76710154_uniq UNIQUE (attempt_id, stock_id);
ALTER TABLE ONLY public.erp_attempt_loaded
    ADD CONSTRAINT erp_attempt_loaded_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_attempt
    ADD CONSTRAINT erp_attempt_name_key UNIQUE (name);
ALTER TABLE ONLY public.erp_attempt
    ADD CONSTRAINT erp_attempt_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_attemptpicture
    ADD CONSTRAINT erp_attemptpicture_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_attemptreadings
    ADD CONSTRAINT erp_attemptreadings_pkey PRIMARY KEY (attempt_id);
ALTER TABLE ONLY public.erp_bankaccount
    ADD CONSTRAINT erp_bankaccount_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_bureau
    ADD CONSTRAINT erp_bureau_group_key UNIQUE ("group");
ALTER TABLE ONLY public.erp_bureau
    ADD CONSTRAINT erp_bureau_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_camerapicture
    ADD CONSTRAINT erp_camerapicture_pkey PRIMARY KEY (printer_id);
ALTER TABLE ONLY public.erp_capacity
    ADD CONSTRAINT erp_capacity_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.erp_cardaccount
    ADD CONSTRAINT erp_cardaccount_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_cardcheckout
    ADD CONSTRAINT erp_cardcheckout_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_companymember
    ADD CONSTRAINT erp_companymember_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_connectiontest
    ADD CONSTRAINT erp_connectiontest_pkey PRIMARY KEY (printer_id);
ALTER TABLE ONLY public.erp_currencyconversion
    ADD CONSTRAINT erp_currencyconversion_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_customer
    ADD CONSTRAINT erp_customer_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_customercompany
    ADD CONSTRAINT erp_customercompany_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_customergroup
    ADD CONSTRAINT erp_customergroup_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_document
    ADD CONSTRAINT erp_document_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_documentseries
    ADD CONSTRAINT erp_documentseries_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_duemaintenance
    ADD CONSTRAINT erp_duemaintenance_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_feature
    ADD CONSTRAINT erp_feature_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_invitation
    ADD CONSTRAINT erp_invitation_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_invitation
    ADD CONSTRAINT erp_invitation_token_sha256_key UNIQUE (token_sha256);
ALTER TABLE ONLY public.erp_lineitem
    ADD CONSTRAINT erp_lineitem_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_location
    ADD CONSTRAINT erp_location_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_logo
    ADD CONSTRAINT erp_logo_pkey PRIMARY KEY (bureau_id);
ALTER TABLE ONLY public.erp_maintenanceentry
    ADD CONSTRAINT erp_maintenanceentry_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_maintenancetask
    ADD CONSTRAINT erp_maintenancetask_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_manufacturer
    ADD CONSTRAINT erp_manufacturer_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_material
    ADD CONSTRAINT erp_material_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_membershiplocation
    ADD CONSTRAINT erp_membershiplocation_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_message
    ADD CONSTRAINT erp_message_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_messagetemplate
    ADD CONSTRAINT erp_messagetemplate_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_modellibrary
    ADD CONSTRAINT erp_modellibrary_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_notificationchannel
    ADD CONSTRAINT erp_notificationchannel_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_order
    ADD CONSTRAINT erp_order_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_orderapproval
    ADD CONSTRAINT erp_orderapproval_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_orderpayment
    ADD CONSTRAINT erp_orderpayment_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_piece
    ADD CONSTRAINT erp_piece_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_piece
    ADD CONSTRAINT erp_piece_place_id_key UNIQUE (place_id);
ALTER TABLE ONLY public.erp_place
    ADD CONSTRAINT erp_place_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_postprocessor
    ADD CONSTRAINT erp_postprocessor_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_postprocessortype_materials
    ADD CONSTRAINT erp_postprocessortype_ma_postprocessortype_id_mat_41ebb016_uniq UNIQUE (postprocessortype_id, material_id);
ALTER TABLE ONLY public.erp_postprocessortype_materials
    ADD CONSTRAINT erp_postprocessortype_materials_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_postprocessortype
    ADD CONSTRAINT erp_postprocessortype_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_pricelist
    ADD CONSTRAINT erp_pricelist_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_pricetable
    ADD CONSTRAINT erp_pricetable_key_key UNIQUE (key);
ALTER TABLE ONLY public.erp_pricetable
    ADD CONSTRAINT erp_pricetable_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_priceterm_customer_groups
    ADD CONSTRAINT erp_priceterm_customer_g_priceterm_id_customergro_868a4d52_uniq UNIQUE (priceterm_id, customergroup_id);
ALTER TABLE ONLY public.erp_priceterm_customer_groups
    ADD CONSTRAINT erp_priceterm_customer_groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_priceterm_materials
    ADD CONSTRAINT erp_priceterm_materials_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_priceterm_materials
    ADD CONSTRAINT erp_priceterm_materials_priceterm_id_material_id_e80b081b_uniq UNIQUE (priceterm_id, material_id);
ALTER TABLE ONLY public.erp_priceterm
    ADD CONSTRAINT erp_priceterm_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_priceterm_post_processor_types
    ADD CONSTRAINT erp_priceterm_post_proce_priceterm_id_postprocess_0a321314_uniq UNIQUE (priceterm_id, postprocessortype_id);
ALTER TABLE ONLY public.erp_priceterm_post_processor_types
    ADD CONSTRAINT erp_priceterm_post_processor_types_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_priceterm_printer_types
    ADD CONSTRAINT erp_priceterm_printer_ty_priceterm_id_printertype_b73c1ea8_uniq UNIQUE (priceterm_id, printertype_id);
ALTER TABLE ONLY public.erp_priceterm_printer_types
    ADD CONSTRAINT erp_priceterm_printer_types_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_priceterm_shippings
    ADD CONSTRAINT erp_priceterm_shippings_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_priceterm_shippings
    ADD CONSTRAINT erp_priceterm_shippings_priceterm_id_shipping_id_6001f32b_uniq UNIQUE (priceterm_id, shipping_id);
ALTER TABLE ONLY public.erp_printdecision
    ADD CONSTRAINT erp_printdecision_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_printer_loaded
    ADD CONSTRAINT erp_printer_loaded_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_printer_loaded
    ADD CONSTRAINT erp_printer_loaded_printer_id_stock_id_c66e17eb_uniq UNIQUE (printer_id, stock_id);
ALTER TABLE ONLY public.erp_printer
    ADD CONSTRAINT erp_printer_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_printertype_materials
    ADD CONSTRAINT erp_printertype_material_printertype_id_material__507176b0_uniq UNIQUE (printertype_id, material_id);
ALTER TABLE ONLY public.erp_printertype_materials
    ADD CONSTRAINT erp_printertype_materials_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_printertype
    ADD CONSTRAINT erp_printertype_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_printreport
    ADD CONSTRAINT erp_printreport_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_printreportfile
    ADD CONSTRAINT erp_printreportfile_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.erp_printspeed
    ADD CONSTRAINT erp_printspeed_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.erp_processlimits
    ADD CONSTRAINT erp_processlimits_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_processstep
    ADD CONSTRAINT erp_processstep_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_product
    ADD CONSTRAINT erp_product_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_quote
    ADD CONSTRAINT erp_quote_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_receivedfile
    ADD CONSTRAINT erp_receivedfile_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_reservation
    ADD CONSTRAINT erp_reservation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_run
    ADD CONSTRAINT erp_run_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_serviceprovider
    ADD CONSTRAINT erp_serviceprovider_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_shapenumbers
    ADD CONSTRAINT erp_shapenumbers_pkey PRIMARY KEY (sha256);
ALTER TABLE ONLY public.erp_sharelink
    ADD CONSTRAINT erp_sharelink_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_sharelink
    ADD CONSTRAINT erp_sharelink_token_sha256_key UNIQUE (token_sha256);
ALTER TABLE ONLY public.erp_shipment
    ADD CONSTRAINT erp_shipment_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_shipmentline
    ADD CONSTRAINT erp_shipmentline_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_shipping
    ADD CONSTRAINT erp_shipping_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_slicerkey
    ADD CONSTRAINT erp_slicerkey_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_slicerkey
    ADD CONSTRAINT erp_slicerkey_secret_sha256_key UNIQUE (secret_sha256);
ALTER TABLE ONLY public.erp_staffnotification
    ADD CONSTRAINT erp_staffnotification_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_stock
    ADD CONSTRAINT erp_stock_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_stockmovement
    ADD CONSTRAINT erp_stockmovement_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_storefront_materials
    ADD CONSTRAINT erp_storefront_materials_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_storefront_materials
    ADD CONSTRAINT erp_storefront_materials_storefront_id_material_i_dd57eb61_uniq UNIQUE (storefront_id, material_id);
ALTER TABLE ONLY public.erp_storefront
    ADD CONSTRAINT erp_storefront_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_storefront_post_processor_types
    ADD CONSTRAINT erp_storefront_post_proc_storefront_id_postproces_b418d6a2_uniq UNIQUE (storefront_id, postprocessortype_id);
ALTER TABLE ONLY public.erp_storefront_post_processor_types
    ADD CONSTRAINT erp_storefront_post_processor_types_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_taxrule
    ADD CONSTRAINT erp_taxrule_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_thirdparty
    ADD CONSTRAINT erp_thirdparty_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_timelapse
    ADD CONSTRAINT erp_timelapse_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.erp_workflow
    ADD CONSTRAINT erp_workflow_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_workingcalendar
    ADD CONSTRAINT erp_workingcalendar_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.callbacks_event
    ADD CONSTRAINT event_bureau_position UNIQUE (bureau, bureau_position);
ALTER TABLE ONLY public.callbacks_event
    ADD CONSTRAINT event_position UNIQUE (owner_id, "position");
ALTER TABLE ONLY public.callbacks_event
    ADD CONSTRAINT event_sequence UNIQUE (uri, seq);
ALTER TABLE ONLY public.erp_feature
    ADD CONSTRAINT feature_once UNIQUE (bureau_id, name);
ALTER TABLE ONLY public.core_idempotentanswer
    ADD CONSTRAINT idempotency_key UNIQUE (user_id, key);
ALTER TABLE ONLY public.erp_place
    ADD CONSTRAINT in_a_run_once UNIQUE (run_id, piece_id);
ALTER TABLE ONLY public.integrations_operation
    ADD CONSTRAINT integrations_operation_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.integrations_service
    ADD CONSTRAINT integrations_service_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.core_limit
    ADD CONSTRAINT limit_of_holder UNIQUE NULLS NOT DISTINCT (holder, "limit");
ALTER TABLE ONLY public.erp_membershiplocation
    ADD CONSTRAINT member_of_location_once UNIQUE (location_id, user_id);
ALTER TABLE ONLY public.erp_companymember
    ADD CONSTRAINT member_of_one_company UNIQUE (bureau_id, email);
ALTER TABLE ONLY public.users_membership
    ADD CONSTRAINT member_once UNIQUE (user_id, group_id);
ALTER TABLE ONLY public.erp_messagetemplate
    ADD CONSTRAINT message_template_once UNIQUE (bureau_id, moment, language);
ALTER TABLE ONLY public.payment_invoice
    ADD CONSTRAINT one_a_month UNIQUE (owner_id, month, currency);
ALTER TABLE ONLY public.warehouse_label
    ADD CONSTRAINT one_label_each UNIQUE (owner_id, model_id);
ALTER TABLE ONLY public.warehouse_modelversion
    ADD CONSTRAINT one_number_each UNIQUE (series, number);
ALTER TABLE ONLY public.erp_attemptpicture
    ADD CONSTRAINT one_picture_once UNIQUE (attempt_id, content_id);
ALTER TABLE ONLY public.payment_paymentstatus
    ADD CONSTRAINT one_status_an_action UNIQUE (owner_id, price_id);
ALTER TABLE ONLY public.erp_order
    ADD CONSTRAINT order_number_once UNIQUE (bureau_id, number);
ALTER TABLE ONLY public.callbacks_outcome
    ADD CONSTRAINT outcome_kind UNIQUE (delivery_id, outcome);
ALTER TABLE ONLY public.payment_charge
    ADD CONSTRAINT payment_charge_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.payment_consent
    ADD CONSTRAINT payment_consent_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.payment_invoice
    ADD CONSTRAINT payment_invoice_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.payment_invoiceevent
    ADD CONSTRAINT payment_invoiceevent_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.payment_payment
    ADD CONSTRAINT payment_payment_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.payment_paymentmethod
    ADD CONSTRAINT payment_paymentmethod_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.payment_paymentstatus
    ADD CONSTRAINT payment_paymentstatus_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.payment_price
    ADD CONSTRAINT payment_price_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_orderpayment
    ADD CONSTRAINT payment_reversed_once UNIQUE (reverses_id);
ALTER TABLE ONLY public.erp_piece
    ADD CONSTRAINT piece_number UNIQUE (line_item_id, number);
ALTER TABLE ONLY public.erp_processlimits
    ADD CONSTRAINT process_limits_once UNIQUE NULLS NOT DISTINCT (bureau_id, printer_type_id);
ALTER TABLE ONLY public.users_recoverycode
    ADD CONSTRAINT recovery_code_once UNIQUE (factor_id, sha256);
ALTER TABLE ONLY public.erp_piece
    ADD CONSTRAINT replaced_once UNIQUE (replica_of_id);
ALTER TABLE ONLY public.sales_customeraccount
    ADD CONSTRAINT sales_customeraccount_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.sales_customeraccount
    ADD CONSTRAINT sales_customeraccount_user_id_key UNIQUE (user_id);
ALTER TABLE ONLY public.sales_customerlink
    ADD CONSTRAINT sales_customerlink_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.sales_customerlink
    ADD CONSTRAINT sales_customerlink_token_sha256_key UNIQUE (token_sha256);
ALTER TABLE ONLY public.sales_visit
    ADD CONSTRAINT sales_visit_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.search_descriptor
    ADD CONSTRAINT search_descriptor_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.search_indexedmodel
    ADD CONSTRAINT search_indexedmodel_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.search_paircheck
    ADD CONSTRAINT search_paircheck_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.erp_shipmentline
    ADD CONSTRAINT shipment_line_once UNIQUE (shipment_id, line_item_id);
ALTER TABLE ONLY public.erp_shipment
    ADD CONSTRAINT shipment_number_once UNIQUE (order_id, number);
ALTER TABLE ONLY public.slicing_agentengine
    ADD CONSTRAINT slicing_agentengine_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.slicing_association
    ADD CONSTRAINT slicing_association_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.slicing_config
    ADD CONSTRAINT slicing_config_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.slicing_constraint
    ADD CONSTRAINT slicing_constraint_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.slicing_enginejob
    ADD CONSTRAINT slicing_enginejob_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.slicing_enginejob
    ADD CONSTRAINT slicing_enginejob_slice_id_key UNIQUE (slice_id);
ALTER TABLE ONLY public.slicing_enginejobfile
    ADD CONSTRAINT slicing_enginejobfile_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.slicing_gcode
    ADD CONSTRAINT slicing_gcode_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.slicing_layerpaths
    ADD CONSTRAINT slicing_layerpaths_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.slicing_printergcode
    ADD CONSTRAINT slicing_printergcode_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.slicing_slice
    ADD CONSTRAINT slicing_slice_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.erp_stock
    ADD CONSTRAINT spool_once UNIQUE (location_id, spoolman_id);
ALTER TABLE ONLY public.erp_staffnotification
    ADD CONSTRAINT staff_notification_once UNIQUE (bureau_id, creator_id, moment);
ALTER TABLE ONLY public.erp_processstep
    ADD CONSTRAINT step_once UNIQUE (workflow_id, step_position);
ALTER TABLE ONLY public.erp_storefront
    ADD CONSTRAINT storefront_slug_once UNIQUE (slug);
ALTER TABLE ONLY public.users_apitoken
    ADD CONSTRAINT users_apitoken_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.users_auditevent
    ADD CONSTRAINT users_auditevent_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.users_group
    ADD CONSTRAINT users_group_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.users_login
    ADD CONSTRAINT users_login_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.users_login
    ADD CONSTRAINT users_login_session_id_key UNIQUE (session_id);
ALTER TABLE ONLY public.users_membership
    ADD CONSTRAINT users_membership_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.users_notification
    ADD CONSTRAINT users_notification_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.users_permission
    ADD CONSTRAINT users_permission_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.users_recoverycode
    ADD CONSTRAINT users_recoverycode_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users_savedview
    ADD CONSTRAINT users_savedview_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.users_secondfactor
    ADD CONSTRAINT users_secondfactor_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.users_secondfactor
    ADD CONSTRAINT users_secondfactor_user_id_key UNIQUE (user_id);
ALTER TABLE ONLY public.users_user_groups
    ADD CONSTRAINT users_user_groups_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users_user_groups
    ADD CONSTRAINT users_user_groups_user_id_group_id_b88eab82_uniq UNIQUE (user_id, group_id);
ALTER TABLE ONLY public.users_user
    ADD CONSTRAINT users_user_look_key UNIQUE (look);
ALTER TABLE ONLY public.users_user
    ADD CONSTRAINT users_user_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.users_user_user_permissions
    ADD CONSTRAINT users_user_user_permissions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.users_user_user_permissions
    ADD CONSTRAINT users_user_user_permissions_user_id_permission_id_43338c45_uniq UNIQUE (user_id, permission_id);
ALTER TABLE ONLY public.users_user
    ADD CONSTRAINT users_user_username_key UNIQUE (username);
ALTER TABLE ONLY public.users_savedview
    ADD CONSTRAINT view_name UNIQUE (user_id, page, name);
ALTER TABLE ONLY public.warehouse_label
    ADD CONSTRAINT warehouse_label_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.warehouse_model_parents
    ADD CONSTRAINT warehouse_model_parents_from_model_id_to_model_id_5ad70b68_uniq UNIQUE (from_model_id, to_model_id);
ALTER TABLE ONLY public.warehouse_model_parents
    ADD CONSTRAINT warehouse_model_parents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.warehouse_model
    ADD CONSTRAINT warehouse_model_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.warehouse_modelversion
    ADD CONSTRAINT warehouse_modelversion_model_id_key UNIQUE (model_id);
ALTER TABLE ONLY public.warehouse_modelversion
    ADD CONSTRAINT warehouse_modelversion_pkey PRIMARY KEY (uuid);
ALTER TABLE ONLY public.warehouse_rendition
    ADD CONSTRAINT warehouse_rendition_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.warehouse_snapshot
    ADD CONSTRAINT warehouse_snapshot_pkey PRIMARY KEY (uuid);
CREATE INDEX queue_account ON dramatiq.queue USING btree (queue_name, account, turn DESC) WHERE (state = ANY (ARRAY['queued'::dramatiq.state, 'consumed'::dramatiq.state]));
CREATE INDEX queue_clock ON dramatiq.queue USING btree (queue_name, turn) WHERE (state = 'consumed'::dramatiq.state);
CREATE INDEX queue_newcomer ON dramatiq.queue USING btree (queue_name, "position") WHERE ((state = 'queued'::dramatiq.state) AND newcomer);
CREATE INDEX queue_queue_name_available_at_position_idx ON dramatiq.queue USING btree (queue_name, available_at, "position") WHERE (state = 'queued'::dramatiq.state);
CREATE INDEX queue_state_mtime_idx ON dramatiq.queue USING btree (state, mtime);
CREATE INDEX queue_subject ON dramatiq.queue USING btree (subject) WHERE (subject IS NOT NULL);
CREATE INDEX queue_turn ON dramatiq.queue USING btree (queue_name, turn, "position") WHERE (state = 'queued'::dramatiq.state);
CREATE INDEX agent_of_bureau ON public.erp_agent USING btree (bureau_id, uuid);
CREATE INDEX association_owner ON public.slicing_association USING btree (owner_id, uuid);
CREATE INDEX attempt_ended ON public.erp_attempt USING btree (bureau_id, ended);
CREATE INDEX attempt_of_bureau ON public.erp_attempt USING btree (bureau_id, uuid);
CREATE INDEX attempt_status ON public.erp_attempt USING btree (bureau_id, status, uuid);
CREATE INDEX audit_action ON public.users_auditevent USING btree (action, uuid);
CREATE INDEX audit_on ON public.users_auditevent USING btree ("on", uuid);
CREATE INDEX auth_group_name_a6ea08ec_like ON public.auth_group USING btree (name varchar_pattern_ops);
CREATE INDEX auth_group_permissions_group_id_b120cbf9 ON public.auth_group_permissions USING btree (group_id);
CREATE INDEX auth_group_permissions_permission_id_84c5c92e ON public.auth_group_permissions USING btree (permission_id);
CREATE INDEX auth_permission_content_type_id_2f476e4b ON public.auth_permission USING btree (content_type_id);
CREATE INDEX bankaccount_of_bureau ON public.erp_bankaccount USING btree (bureau_id, uuid);
CREATE INDEX callbacks_delivery_event_id_02f31c2f ON public.callbacks_delivery USING btree (event_id);
CREATE INDEX callbacks_delivery_replayed_by_id_69f62f30 ON public.callbacks_delivery USING btree (replayed_by_id);
CREATE INDEX callbacks_origin_origin_e38dd9b9_like ON public.callbacks_origin USING btree (origin varchar_pattern_ops);
CREATE INDEX callbacks_sink_owner_id_dc0c9cbc ON public.callbacks_sink USING btree (owner_id);
CREATE INDEX callbacks_sink_token_b21d8f07_like ON public.callbacks_sink USING btree (token varchar_pattern_ops);
CREATE INDEX callbacks_subscription_origin_id_911144f1 ON public.callbacks_subscription USING btree (origin_id);
CREATE INDEX callbacks_subscription_owner_id_64b854c1 ON public.callbacks_subscription USING btree (owner_id);
CREATE INDEX callbacks_subscription_resource_4a3ff16c ON public.callbacks_subscription USING btree (resource);
CREATE INDEX callbacks_subscription_resource_4a3ff16c_like ON public.callbacks_subscription USING btree (resource varchar_pattern_ops);
CREATE INDEX callbacks_sunkrequest_sink_id_5b50c5ac ON public.callbacks_sunkrequest USING btree (sink_id);
CREATE INDEX callbacks_webhooksecret_owner_id_9b03036c ON public.callbacks_webhooksecret USING btree (owner_id);
CREATE INDEX cardaccount_of_bureau ON public.erp_cardaccount USING btree (bureau_id, uuid);
CREATE INDEX charge_owner ON public.payment_charge USING btree (owner_id, uuid);
CREATE UNIQUE INDEX charged_once ON public.payment_charge USING btree (source, namespace, action) WHERE ((corrects_id IS NULL) AND (NOT ((status)::text = 'released'::text)));
CREATE INDEX companymember_of_bureau ON public.erp_companymember USING btree (bureau_id, uuid);
CREATE INDEX config_owner ON public.slicing_config USING btree (owner_id, uuid);
CREATE INDEX consent_of ON public.payment_consent USING btree (owner_id, namespace, action, uuid);
CREATE INDEX constraint_owner ON public.slicing_constraint USING btree (owner_id, uuid);
CREATE INDEX core_blob_sha256_6715bd52_like ON public.core_blob USING btree (sha256 varchar_pattern_ops);
CREATE INDEX core_canary_queue_f7748c1e_like ON public.core_canary USING btree (queue varchar_pattern_ops);
CREATE INDEX core_counter_updated_2890890b ON public.core_counter USING btree (updated);
CREATE INDEX core_damagedfile_sha256_2ce2409a_like ON public.core_damagedfile USING btree (sha256 varchar_pattern_ops);
CREATE INDEX core_doomedfile_sha256_062c3435_like ON public.core_doomedfile USING btree (sha256 varchar_pattern_ops);
CREATE INDEX core_fault_created_376ff928 ON public.core_fault USING btree (created);
CREATE INDEX core_fault_number_fa3239b9 ON public.core_fault USING btree (number);
CREATE INDEX core_fault_number_fa3239b9_like ON public.core_fault USING btree (number varchar_pattern_ops);
CREATE INDEX core_idempotentanswer_created_78118b7e ON public.core_idempotentanswer USING btree (created);
CREATE INDEX core_idempotentanswer_user_id_1d402922 ON public.core_idempotentanswer USING btree (user_id);
CREATE INDEX core_pace_actor_a239bf14_like ON public.core_pace USING btree (actor varchar_pattern_ops);
CREATE INDEX currencyconversion_of_bureau ON public.erp_currencyconversion USING btree (bureau_id, uuid);
CREATE INDEX customer_of_bureau ON public.erp_customer USING btree (bureau_id, uuid);
CREATE INDEX customercompany_of_bureau ON public.erp_customercompany USING btree (bureau_id, uuid);
CREATE INDEX customergroup_of_bureau ON public.erp_customergroup USING btree (bureau_id, uuid);
CREATE INDEX delivery_age ON public.callbacks_delivery USING btree (since) WHERE ((state)::text = 'pending'::text);
CREATE INDEX delivery_due ON public.callbacks_delivery USING btree (origin_id, next_at) WHERE ((state)::text = 'pending'::text);
CREATE INDEX delivery_waiting ON public.callbacks_delivery USING btree (owner_id, subscription_id) WHERE ((state)::text = 'pending'::text);
CREATE INDEX descriptor_radii ON public.search_descriptor USING btree (version, radius_major, radius_middle);
CREATE INDEX descriptor_vector ON public.search_descriptor USING hnsw (vector public.halfvec_l1_ops) WITH (m='16', ef_construction='100');
CREATE INDEX django_admin_log_content_type_id_c4bce8eb ON public.django_admin_log USING btree (content_type_id);
CREATE INDEX django_admin_log_user_id_c564eba6 ON public.django_admin_log USING btree (user_id);
CREATE INDEX django_session_expire_date_a5c62663 ON public.django_session USING btree (expire_date);
CREATE INDEX django_session_session_key_c0390e0f_like ON public.django_session USING btree (session_key varchar_pattern_ops);
CREATE UNIQUE INDEX document_number_once ON public.erp_document USING btree (bureau_id, type, number) WHERE (NOT ((number)::text = ''::text));
CREATE INDEX document_of_bureau ON public.erp_document USING btree (bureau_id, uuid);
CREATE INDEX document_revenue ON public.erp_document USING btree (customer_id, issued_on) INCLUDE (type, net) WHERE ((type)::text = ANY (ARRAY[('invoice'::character varying)::text, ('credit-note'::character varying)::text]));
CREATE INDEX documentseries_of_bureau ON public.erp_documentseries USING btree (bureau_id, uuid);
CREATE INDEX erp_agent_creator_id_d94f658d ON public.erp_agent USING btree (creator_id);
CREATE INDEX erp_agent_location_id_2826bc99 ON public.erp_agent USING btree (location_id);
CREATE INDEX erp_attempt_creator_id_6011021c ON public.erp_attempt USING btree (creator_id);
CREATE INDEX erp_attempt_loaded_attempt_id_221dd19e ON public.erp_attempt_loaded USING btree (attempt_id);
CREATE INDEX erp_attempt_loaded_stock_id_51d8aa60 ON public.erp_attempt_loaded USING btree (stock_id);
CREATE INDEX erp_attempt_name_ce0de801_like ON public.erp_attempt USING btree (name varchar_pattern_ops);
CREATE INDEX erp_attempt_printer_id_cc305b4b ON public.erp_attempt USING btree (printer_id);
CREATE INDEX erp_attempt_run_id_233e503c ON public.erp_attempt USING btree (run_id);
CREATE INDEX erp_attemptpicture_attempt_id_1cd7cd5b ON public.erp_attemptpicture USING btree (attempt_id);
CREATE INDEX erp_attemptpicture_content_id_245b61d0 ON public.erp_attemptpicture USING btree (content_id);
CREATE INDEX erp_attemptpicture_content_id_245b61d0_like ON public.erp_attemptpicture USING btree (content_id varchar_pattern_ops);
CREATE INDEX erp_bankaccount_creator_id_fb1908bc ON public.erp_bankaccount USING btree (creator_id);
CREATE INDEX erp_bureau_creator_id_93cda73a ON public.erp_bureau USING btree (creator_id);
CREATE INDEX erp_capacity_key_fad4852c_like ON public.erp_capacity USING btree (key varchar_pattern_ops);
CREATE INDEX erp_cardaccount_creator_id_43c66615 ON public.erp_cardaccount USING btree (creator_id);
CREATE INDEX erp_cardcheckout_order_id_2943a4da ON public.erp_cardcheckout USING btree (order_id);
CREATE INDEX erp_companymember_company_id_4637163d ON public.erp_companymember USING btree (company_id);
CREATE INDEX erp_connectiontest_agent_id_bf409c06 ON public.erp_connectiontest USING btree (agent_id);
CREATE INDEX erp_customer_company_id_9a538006 ON public.erp_customer USING btree (company_id);
CREATE INDEX erp_customer_group_id_366b11e2 ON public.erp_customer USING btree (group_id);
CREATE INDEX erp_customer_user_id_64287d8c ON public.erp_customer USING btree (user_id);
CREATE INDEX erp_customer_vat_confirmed_by_id_8b501f89 ON public.erp_customer USING btree (vat_confirmed_by_id);
CREATE INDEX erp_customercompany_group_id_9e5cff06 ON public.erp_customercompany USING btree (group_id);
CREATE INDEX erp_customergroup_price_list_id_59f2fc6a ON public.erp_customergroup USING btree (price_list_id);
CREATE INDEX erp_document_content_id_b8e16a44 ON public.erp_document USING btree (content_id);
CREATE INDEX erp_document_content_id_b8e16a44_like ON public.erp_document USING btree (content_id varchar_pattern_ops);
CREATE INDEX erp_document_corrects_id_308d2379 ON public.erp_document USING btree (corrects_id);
CREATE INDEX erp_document_creator_id_de2b5403 ON public.erp_document USING btree (creator_id);
CREATE INDEX erp_document_order_id_08071326 ON public.erp_document USING btree (order_id);
CREATE INDEX erp_document_quote_id_33ae5b95 ON public.erp_document USING btree (quote_id);
CREATE INDEX erp_document_series_id_4ca488af ON public.erp_document USING btree (series_id);
CREATE INDEX erp_document_shipment_id_2c0bf683 ON public.erp_document USING btree (shipment_id);
CREATE INDEX erp_documentseries_creator_id_b8bffb12 ON public.erp_documentseries USING btree (creator_id);
CREATE INDEX erp_duemaintenance_printer_id_06980b1a ON public.erp_duemaintenance USING btree (printer_id);
CREATE INDEX erp_duemaintenance_task_id_43519830 ON public.erp_duemaintenance USING btree (task_id);
CREATE INDEX erp_invitation_accepted_by_id_08db16fa ON public.erp_invitation USING btree (accepted_by_id);
CREATE INDEX erp_invitation_creator_id_9ff43ded ON public.erp_invitation USING btree (creator_id);
CREATE INDEX erp_lineitem_base_material_id_47fb961c ON public.erp_lineitem USING btree (base_material_id);
CREATE INDEX erp_lineitem_config_uri_07304ccc ON public.erp_lineitem USING btree (config_uri);
CREATE INDEX erp_lineitem_config_uri_07304ccc_like ON public.erp_lineitem USING btree (config_uri varchar_pattern_ops);
CREATE INDEX erp_lineitem_creator_id_f607bcc1 ON public.erp_lineitem USING btree (creator_id);
CREATE INDEX erp_lineitem_model_uri_d08dbefd ON public.erp_lineitem USING btree (model_uri);
CREATE INDEX erp_lineitem_model_uri_d08dbefd_like ON public.erp_lineitem USING btree (model_uri varchar_pattern_ops);
CREATE INDEX erp_lineitem_order_id_f62b7f76 ON public.erp_lineitem USING btree (order_id);
CREATE INDEX erp_lineitem_product_id_f6772da6 ON public.erp_lineitem USING btree (product_id);
CREATE INDEX erp_lineitem_slice_uri_8bdf5794 ON public.erp_lineitem USING btree (slice_uri);
CREATE INDEX erp_lineitem_slice_uri_8bdf5794_like ON public.erp_lineitem USING btree (slice_uri varchar_pattern_ops);
CREATE INDEX erp_lineitem_support_material_id_9c18c6ca ON public.erp_lineitem USING btree (support_material_id);
CREATE INDEX erp_lineitem_workflow_id_8fdb1404 ON public.erp_lineitem USING btree (workflow_id);
CREATE INDEX erp_location_creator_id_bce8cbde ON public.erp_location USING btree (creator_id);
CREATE INDEX erp_maintenanceentry_creator_id_ea11c17d ON public.erp_maintenanceentry USING btree (creator_id);
CREATE INDEX erp_maintenanceentry_printer_id_c32bf254 ON public.erp_maintenanceentry USING btree (printer_id);
CREATE INDEX erp_maintenanceentry_task_id_d7f679c4 ON public.erp_maintenanceentry USING btree (task_id);
CREATE INDEX erp_maintenancetask_printer_type_id_1d53f34c ON public.erp_maintenancetask USING btree (printer_type_id);
CREATE INDEX erp_material_manufacturer_id_ca0796d0 ON public.erp_material USING btree (manufacturer_id);
CREATE INDEX erp_membershiplocation_location_id_55708309 ON public.erp_membershiplocation USING btree (location_id);
CREATE INDEX erp_membershiplocation_user_id_28897623 ON public.erp_membershiplocation USING btree (user_id);
CREATE INDEX erp_message_creator_id_9896216a ON public.erp_message USING btree (creator_id);
CREATE INDEX erp_messagetemplate_creator_id_b2bc4362 ON public.erp_messagetemplate USING btree (creator_id);
CREATE INDEX erp_modellibrary_material_id_e2154732 ON public.erp_modellibrary USING btree (material_id);
CREATE INDEX erp_modellibrary_workflow_id_18401283 ON public.erp_modellibrary USING btree (workflow_id);
CREATE INDEX erp_notificationchannel_creator_id_111a743a ON public.erp_notificationchannel USING btree (creator_id);
CREATE INDEX erp_order_creator_id_afbddbbb ON public.erp_order USING btree (creator_id);
CREATE INDEX erp_order_customer_id_0b5d6f75 ON public.erp_order USING btree (customer_id);
CREATE INDEX erp_order_price_list_id_8981634e ON public.erp_order USING btree (price_list_id);
CREATE INDEX erp_order_shipping_id_5dec666a ON public.erp_order USING btree (shipping_id);
CREATE INDEX erp_orderapproval_company_id_5d09ae28 ON public.erp_orderapproval USING btree (company_id);
CREATE INDEX erp_orderapproval_creator_id_ee1d16b8 ON public.erp_orderapproval USING btree (creator_id);
CREATE INDEX erp_orderapproval_order_id_7a103f07 ON public.erp_orderapproval USING btree (order_id);
CREATE INDEX erp_orderpayment_creator_id_1a3bd6bd ON public.erp_orderpayment USING btree (creator_id);
CREATE INDEX erp_orderpayment_order_id_958b6ba7 ON public.erp_orderpayment USING btree (order_id);
CREATE INDEX erp_orderpayment_refunds_id_0cfbdcbd ON public.erp_orderpayment USING btree (refunds_id);
CREATE INDEX erp_orderpayment_reverses_id_e310e317 ON public.erp_orderpayment USING btree (reverses_id);
CREATE INDEX erp_piece_config_uri_e747aa70 ON public.erp_piece USING btree (config_uri);
CREATE INDEX erp_piece_config_uri_e747aa70_like ON public.erp_piece USING btree (config_uri varchar_pattern_ops);
CREATE INDEX erp_piece_line_item_id_a2126764 ON public.erp_piece USING btree (line_item_id);
CREATE INDEX erp_piece_model_uri_1ebc5450 ON public.erp_piece USING btree (model_uri);
CREATE INDEX erp_piece_model_uri_1ebc5450_like ON public.erp_piece USING btree (model_uri varchar_pattern_ops);
CREATE INDEX erp_piece_replica_of_id_479983de ON public.erp_piece USING btree (replica_of_id);
CREATE INDEX erp_piece_step_id_03291deb ON public.erp_piece USING btree (step_id);
CREATE INDEX erp_place_piece_id_58dfcba4 ON public.erp_place USING btree (piece_id);
CREATE INDEX erp_place_run_id_e450d6f5 ON public.erp_place USING btree (run_id);
CREATE INDEX erp_place_step_id_3b1d753e ON public.erp_place USING btree (step_id);
CREATE INDEX erp_postprocessor_location_id_34aff55b ON public.erp_postprocessor USING btree (location_id);
CREATE INDEX erp_postprocessor_post_processor_type_id_28807aa6 ON public.erp_postprocessor USING btree (post_processor_type_id);
CREATE INDEX erp_postprocessortype_manufacturer_id_1c0fa026 ON public.erp_postprocessortype USING btree (manufacturer_id);
CREATE INDEX erp_postprocessortype_materials_material_id_3339255b ON public.erp_postprocessortype_materials USING btree (material_id);
CREATE INDEX erp_postprocessortype_materials_postprocessortype_id_5a13ffb6 ON public.erp_postprocessortype_materials USING btree (postprocessortype_id);
CREATE INDEX erp_pricelist_calendar_id_91b2c935 ON public.erp_pricelist USING btree (calendar_id);
CREATE INDEX erp_pricetable_creator_id_34c9a88e ON public.erp_pricetable USING btree (creator_id);
CREATE INDEX erp_pricetable_customer_id_be35361d ON public.erp_pricetable USING btree (customer_id);
CREATE INDEX erp_pricetable_key_542ec652_like ON public.erp_pricetable USING btree (key varchar_pattern_ops);
CREATE INDEX erp_priceterm_customer_groups_customergroup_id_e6e5cc13 ON public.erp_priceterm_customer_groups USING btree (customergroup_id);
CREATE INDEX erp_priceterm_customer_groups_priceterm_id_c2edaccd ON public.erp_priceterm_customer_groups USING btree (priceterm_id);
CREATE INDEX erp_priceterm_materials_material_id_c4cbbd53 ON public.erp_priceterm_materials USING btree (material_id);
CREATE INDEX erp_priceterm_materials_priceterm_id_5326f8b8 ON public.erp_priceterm_materials USING btree (priceterm_id);
CREATE INDEX erp_priceterm_post_process_postprocessortype_id_c4cf9f13 ON public.erp_priceterm_post_processor_types USING btree (postprocessortype_id);
CREATE INDEX erp_priceterm_post_processor_types_priceterm_id_40cc76eb ON public.erp_priceterm_post_processor_types USING btree (priceterm_id);
CREATE INDEX erp_priceterm_price_list_id_c731ce9b ON public.erp_priceterm USING btree (price_list_id);
CREATE INDEX erp_priceterm_printer_types_priceterm_id_446e3942 ON public.erp_priceterm_printer_types USING btree (priceterm_id);
CREATE INDEX erp_priceterm_printer_types_printertype_id_2faa1a27 ON public.erp_priceterm_printer_types USING btree (printertype_id);
CREATE INDEX erp_priceterm_shippings_priceterm_id_017b4631 ON public.erp_priceterm_shippings USING btree (priceterm_id);
CREATE INDEX erp_priceterm_shippings_shipping_id_460ca628 ON public.erp_priceterm_shippings USING btree (shipping_id);
CREATE INDEX erp_printdecision_creator_id_f97cc8fe ON public.erp_printdecision USING btree (creator_id);
CREATE INDEX erp_printdecision_model_uri_855de06d ON public.erp_printdecision USING btree (model_uri);
CREATE INDEX erp_printdecision_model_uri_855de06d_like ON public.erp_printdecision USING btree (model_uri varchar_pattern_ops);
CREATE INDEX erp_printdecision_print_report_id_c1389eec ON public.erp_printdecision USING btree (print_report_id);
CREATE INDEX erp_printer_agent_id_a7a7f08c ON public.erp_printer USING btree (agent_id);
CREATE INDEX erp_printer_loaded_printer_id_a5267b0b ON public.erp_printer_loaded USING btree (printer_id);
CREATE INDEX erp_printer_loaded_stock_id_55bc23e3 ON public.erp_printer_loaded USING btree (stock_id);
CREATE INDEX erp_printer_location_id_e10aa711 ON public.erp_printer USING btree (location_id);
CREATE INDEX erp_printer_printer_type_id_2beb6c7c ON public.erp_printer USING btree (printer_type_id);
CREATE INDEX erp_printertype_manufacturer_id_e0558b38 ON public.erp_printertype USING btree (manufacturer_id);
CREATE INDEX erp_printertype_materials_material_id_703b7260 ON public.erp_printertype_materials USING btree (material_id);
CREATE INDEX erp_printertype_materials_printertype_id_3e080e99 ON public.erp_printertype_materials USING btree (printertype_id);
CREATE INDEX erp_printreport_creator_id_0ccb10dd ON public.erp_printreport USING btree (creator_id);
CREATE INDEX erp_printreport_line_item_id_30afe047 ON public.erp_printreport USING btree (line_item_id);
CREATE INDEX erp_printreport_model_uri_7b01e107 ON public.erp_printreport USING btree (model_uri);
CREATE INDEX erp_printreport_model_uri_7b01e107_like ON public.erp_printreport USING btree (model_uri varchar_pattern_ops);
CREATE INDEX erp_printreport_order_id_df579c61 ON public.erp_printreport USING btree (order_id);
CREATE INDEX erp_printreportfile_content_id_228e4102 ON public.erp_printreportfile USING btree (content_id);
CREATE INDEX erp_printreportfile_content_id_228e4102_like ON public.erp_printreportfile USING btree (content_id varchar_pattern_ops);
CREATE INDEX erp_printreportfile_key_b6411436_like ON public.erp_printreportfile USING btree (key varchar_pattern_ops);
CREATE INDEX erp_printreportfile_order_id_1389e188 ON public.erp_printreportfile USING btree (order_id);
CREATE INDEX erp_printspeed_key_f83a6973_like ON public.erp_printspeed USING btree (key varchar_pattern_ops);
CREATE INDEX erp_processlimits_creator_id_0645ddf0 ON public.erp_processlimits USING btree (creator_id);
CREATE INDEX erp_processlimits_printer_type_id_160a989b ON public.erp_processlimits USING btree (printer_type_id);
CREATE INDEX erp_processstep_post_processor_type_id_ebe78a86 ON public.erp_processstep USING btree (post_processor_type_id);
CREATE INDEX erp_processstep_printer_type_id_105b1197 ON public.erp_processstep USING btree (printer_type_id);
CREATE INDEX erp_processstep_shipping_id_d6740625 ON public.erp_processstep USING btree (shipping_id);
CREATE INDEX erp_processstep_workflow_id_3187de76 ON public.erp_processstep USING btree (workflow_id);
CREATE INDEX erp_product_model_library_id_44d317b2 ON public.erp_product USING btree (model_library_id);
CREATE INDEX erp_product_order_id_6019ea69 ON public.erp_product USING btree (order_id);
CREATE INDEX erp_quote_creator_id_cefe36c8 ON public.erp_quote USING btree (creator_id);
CREATE INDEX erp_quote_order_id_1b672778 ON public.erp_quote USING btree (order_id);
CREATE INDEX erp_receivedfile_creator_id_f13a2447 ON public.erp_receivedfile USING btree (creator_id);
CREATE INDEX erp_receivedfile_gcode_uri_66de9892 ON public.erp_receivedfile USING btree (gcode_uri);
CREATE INDEX erp_receivedfile_gcode_uri_66de9892_like ON public.erp_receivedfile USING btree (gcode_uri varchar_pattern_ops);
CREATE INDEX erp_receivedfile_run_id_fb57f09a ON public.erp_receivedfile USING btree (run_id);
CREATE INDEX erp_receivedfile_slicer_key_id_9e4358f1 ON public.erp_receivedfile USING btree (slicer_key_id);
CREATE INDEX erp_reservation_material_id_8983f723 ON public.erp_reservation USING btree (material_id);
CREATE INDEX erp_reservation_run_id_71b68ac7 ON public.erp_reservation USING btree (run_id);
CREATE INDEX erp_reservation_stock_id_e0f663f4 ON public.erp_reservation USING btree (stock_id);
CREATE INDEX erp_run_config_uri_656e0fe3 ON public.erp_run USING btree (config_uri);
CREATE INDEX erp_run_config_uri_656e0fe3_like ON public.erp_run USING btree (config_uri varchar_pattern_ops);
CREATE INDEX erp_run_content_3mf_id_6b9932d3 ON public.erp_run USING btree (content_3mf_id);
CREATE INDEX erp_run_content_3mf_id_6b9932d3_like ON public.erp_run USING btree (content_3mf_id varchar_pattern_ops);
CREATE INDEX erp_run_creator_id_dc57ab48 ON public.erp_run USING btree (creator_id);
CREATE INDEX erp_run_gcode_uri_7942c4a0 ON public.erp_run USING btree (gcode_uri);
CREATE INDEX erp_run_gcode_uri_7942c4a0_like ON public.erp_run USING btree (gcode_uri varchar_pattern_ops);
CREATE INDEX erp_run_material_id_58e93d07 ON public.erp_run USING btree (material_id);
CREATE INDEX erp_run_model_uri_8759ae22 ON public.erp_run USING btree (model_uri);
CREATE INDEX erp_run_model_uri_8759ae22_like ON public.erp_run USING btree (model_uri varchar_pattern_ops);
CREATE INDEX erp_run_post_processor_id_3a67784f ON public.erp_run USING btree (post_processor_id);
CREATE INDEX erp_run_printer_id_aaa543b1 ON public.erp_run USING btree (printer_id);
CREATE INDEX erp_run_printer_type_id_85618c77 ON public.erp_run USING btree (printer_type_id);
CREATE INDEX erp_run_shipping_id_85c64b68 ON public.erp_run USING btree (shipping_id);
CREATE INDEX erp_run_slice_uri_cff73cbd ON public.erp_run USING btree (slice_uri);
CREATE INDEX erp_run_slice_uri_cff73cbd_like ON public.erp_run USING btree (slice_uri varchar_pattern_ops);
CREATE INDEX erp_shapenumbers_sha256_e59b369d_like ON public.erp_shapenumbers USING btree (sha256 varchar_pattern_ops);
CREATE INDEX erp_sharelink_creator_id_acce3435 ON public.erp_sharelink USING btree (creator_id);
CREATE INDEX erp_sharelink_order_id_cb965970 ON public.erp_sharelink USING btree (order_id);
CREATE INDEX erp_shipment_creator_id_0841598f ON public.erp_shipment USING btree (creator_id);
CREATE INDEX erp_shipment_order_id_abe77465 ON public.erp_shipment USING btree (order_id);
CREATE INDEX erp_shipmentline_line_item_id_8d0f8065 ON public.erp_shipmentline USING btree (line_item_id);
CREATE INDEX erp_shipmentline_shipment_id_821fbced ON public.erp_shipmentline USING btree (shipment_id);
CREATE INDEX erp_slicerkey_creator_id_3752ff75 ON public.erp_slicerkey USING btree (creator_id);
CREATE INDEX erp_slicerkey_printer_type_id_7380b61a ON public.erp_slicerkey USING btree (printer_type_id);
CREATE INDEX erp_staffnotification_creator_id_0df8fe38 ON public.erp_staffnotification USING btree (creator_id);
CREATE INDEX erp_stock_location_id_c3693f3d ON public.erp_stock USING btree (location_id);
CREATE INDEX erp_stock_material_id_e324bcfe ON public.erp_stock USING btree (material_id);
CREATE INDEX erp_stockmovement_attempt_id_7945cace ON public.erp_stockmovement USING btree (attempt_id);
CREATE INDEX erp_stockmovement_creator_id_9c38b295 ON public.erp_stockmovement USING btree (creator_id);
CREATE INDEX erp_stockmovement_run_id_f6ed4b9a ON public.erp_stockmovement USING btree (run_id);
CREATE INDEX erp_stockmovement_stock_id_f641facb ON public.erp_stockmovement USING btree (stock_id);
CREATE INDEX erp_storefront_creator_id_be78b71d ON public.erp_storefront USING btree (creator_id);
CREATE INDEX erp_storefront_materials_material_id_b6c0049a ON public.erp_storefront_materials USING btree (material_id);
CREATE INDEX erp_storefront_materials_storefront_id_7acca2a9 ON public.erp_storefront_materials USING btree (storefront_id);
CREATE INDEX erp_storefront_post_proces_postprocessortype_id_87ab25e6 ON public.erp_storefront_post_processor_types USING btree (postprocessortype_id);
CREATE INDEX erp_storefront_post_processor_types_storefront_id_7d4cfe54 ON public.erp_storefront_post_processor_types USING btree (storefront_id);
CREATE INDEX erp_storefront_price_list_id_6711beeb ON public.erp_storefront USING btree (price_list_id);
CREATE INDEX erp_timelapse_attempt_id_2d83fde1 ON public.erp_timelapse USING btree (attempt_id);
CREATE INDEX erp_timelapse_content_id_6f39238a ON public.erp_timelapse USING btree (content_id);
CREATE INDEX erp_timelapse_content_id_6f39238a_like ON public.erp_timelapse USING btree (content_id varchar_pattern_ops);
CREATE INDEX erp_timelapse_key_f90587c5_like ON public.erp_timelapse USING btree (key varchar_pattern_ops);
CREATE INDEX feature_of_bureau ON public.erp_feature USING btree (bureau_id, uuid);
CREATE INDEX gcode_owner ON public.slicing_gcode USING btree (owner_id, uuid);
CREATE INDEX indexed_model_key ON public.search_indexedmodel USING btree (model_uuid) INCLUDE (content_hash, status) WHERE (deleted IS NULL);
CREATE INDEX indexed_model_owner ON public.search_indexedmodel USING btree (owner_id, uuid);
CREATE UNIQUE INDEX indexed_once ON public.search_indexedmodel USING btree (owner_id, model_uri) WHERE (deleted IS NULL);
CREATE INDEX integrations_operation_model_uri_38ef9cb4 ON public.integrations_operation USING btree (model_uri);
CREATE INDEX integrations_operation_model_uri_38ef9cb4_like ON public.integrations_operation USING btree (model_uri varchar_pattern_ops);
CREATE INDEX integrations_operation_owner_id_31346947 ON public.integrations_operation USING btree (owner_id);
CREATE INDEX integrations_operation_result_uri_7fc35d41 ON public.integrations_operation USING btree (result_uri);
CREATE INDEX integrations_operation_result_uri_7fc35d41_like ON public.integrations_operation USING btree (result_uri varchar_pattern_ops);
CREATE INDEX integrations_operation_service_id_2357949e ON public.integrations_operation USING btree (service_id);
CREATE INDEX integrations_operation_upload_id_885eb826 ON public.integrations_operation USING btree (upload_id);
CREATE INDEX integrations_operation_upload_id_885eb826_like ON public.integrations_operation USING btree (upload_id varchar_pattern_ops);
CREATE INDEX integrations_service_creator_id_68723b6a ON public.integrations_service USING btree (creator_id);
CREATE INDEX invitation_of_bureau ON public.erp_invitation USING btree (bureau_id, uuid);
CREATE INDEX invoice_due ON public.payment_invoice USING btree (due) WHERE ((status)::text = 'unpaid'::text);
CREATE INDEX invoice_open ON public.payment_invoice USING btree (month) WHERE (issued IS NULL);
CREATE INDEX invoice_owner ON public.payment_invoice USING btree (owner_id, uuid);
CREATE INDEX label_folder ON public.warehouse_label USING btree (owner_id, folder);
CREATE INDEX line_item_status ON public.erp_lineitem USING btree (bureau_id, status, uuid);
CREATE INDEX lineitem_of_bureau ON public.erp_lineitem USING btree (bureau_id, uuid);
CREATE INDEX location_of_bureau ON public.erp_location USING btree (bureau_id, uuid);
CREATE INDEX maintenance_last_entry ON public.erp_maintenanceentry USING btree (printer_id, task_id, uuid DESC);
CREATE INDEX maintenanceentry_of_bureau ON public.erp_maintenanceentry USING btree (bureau_id, uuid);
CREATE INDEX maintenancetask_of_bureau ON public.erp_maintenancetask USING btree (bureau_id, uuid);
CREATE INDEX manufacturer_of_bureau ON public.erp_manufacturer USING btree (bureau_id, uuid);
CREATE INDEX material_low ON public.erp_material USING btree (bureau_id) WHERE ((stock_level)::text = 'low'::text);
CREATE INDEX material_of_bureau ON public.erp_material USING btree (bureau_id, uuid);
CREATE INDEX membership_group ON public.users_membership USING btree (group_id, user_id);
CREATE INDEX membershiplocation_of_bureau ON public.erp_membershiplocation USING btree (bureau_id, uuid);
CREATE INDEX message_due ON public.erp_message USING btree (next_attempt) WHERE ((status)::text = ANY (ARRAY[('waiting'::character varying)::text, ('sending'::character varying)::text]));
CREATE INDEX message_of_bureau ON public.erp_message USING btree (bureau_id, uuid);
CREATE INDEX message_of_channel ON public.erp_message USING btree (channel_id, uuid);
CREATE INDEX message_of_order ON public.erp_message USING btree (order_id, uuid);
CREATE INDEX message_recipient ON public.erp_message USING btree (lower((recipient)::text), uuid);
CREATE INDEX message_sent ON public.erp_message USING btree (bureau_id, sent_at);
CREATE INDEX messagetemplate_of_bureau ON public.erp_messagetemplate USING btree (bureau_id, uuid);
CREATE INDEX model_deleted ON public.warehouse_model USING btree (deleted) WHERE (deleted IS NOT NULL);
CREATE INDEX model_name ON public.warehouse_model USING btree (name, uuid) WHERE (deleted IS NULL);
CREATE INDEX model_owner ON public.warehouse_model USING btree (owner_id, uuid) WHERE (deleted IS NULL);
CREATE INDEX model_owner_name ON public.warehouse_model USING btree (owner_id, name, uuid) WHERE (deleted IS NULL);
CREATE INDEX model_owner_prefix ON public.warehouse_model USING btree (owner_id, lower((name)::text) text_pattern_ops, uuid) WHERE (deleted IS NULL);
CREATE INDEX model_owner_status ON public.warehouse_model USING btree (owner_id, status, uuid) WHERE (deleted IS NULL);
CREATE INDEX model_owner_updated ON public.warehouse_model USING btree (owner_id, updated, uuid) WHERE (deleted IS NULL);
CREATE INDEX model_pairs ON public.warehouse_model USING gin (public.warehouse_pairs(lower((name)::text))) WITH (fastupdate=off) WHERE (deleted IS NULL);
CREATE INDEX model_pieces ON public.warehouse_model USING gin (public.warehouse_pieces(lower((name)::text))) WITH (fastupdate=off) WHERE (deleted IS NULL);
CREATE INDEX model_readable ON public.warehouse_model USING btree (uuid) INCLUDE (owner_id, name, status, updated) WHERE (deleted IS NULL);
CREATE INDEX model_status ON public.warehouse_model USING btree (status, uuid) WHERE (deleted IS NULL);
CREATE INDEX model_updated ON public.warehouse_model USING btree (updated, uuid) WHERE (deleted IS NULL);
CREATE INDEX modellibrary_of_bureau ON public.erp_modellibrary USING btree (bureau_id, uuid);
CREATE INDEX notification_age ON public.users_notification USING btree (updated);
CREATE INDEX notification_of_person ON public.users_notification USING btree (recipient_id, updated, uuid);
CREATE INDEX notification_unread ON public.users_notification USING btree (recipient_id, updated DESC) WHERE (read IS NULL);
CREATE UNIQUE INDEX notification_unread_once ON public.users_notification USING btree (subject, kind, recipient_id) WHERE (read IS NULL);
CREATE INDEX notificationchannel_of_bureau ON public.erp_notificationchannel USING btree (bureau_id, uuid);
CREATE UNIQUE INDEX one_association ON public.slicing_association USING btree (constraint_id, model_uuid) WHERE (deleted IS NULL);
CREATE UNIQUE INDEX one_attempt_at_a_time ON public.payment_payment USING btree (invoice_id) WHERE ((status)::text = 'started'::text);
CREATE UNIQUE INDEX one_attempt_of_a_run ON public.erp_attempt USING btree (run_id) WHERE ((NOT detached) AND ((status)::text = ANY (ARRAY[('planned'::character varying)::text, ('sent'::character varying)::text, ('armed'::character varying)::text, ('printing'::character varying)::text, ('paused'::character varying)::text, ('unclear'::character varying)::text])));
CREATE UNIQUE INDEX one_attempt_on_a_printer ON public.erp_attempt USING btree (printer_id) WHERE ((status)::text = ANY (ARRAY[('planned'::character varying)::text, ('sent'::character varying)::text, ('armed'::character varying)::text, ('printing'::character varying)::text, ('paused'::character varying)::text, ('unclear'::character varying)::text]));
CREATE UNIQUE INDEX one_current_secret ON public.callbacks_webhooksecret USING btree (owner_id) WHERE (expires IS NULL);
CREATE UNIQUE INDEX one_default_price_list_of_a_day ON public.erp_pricelist USING btree (bureau_id, since) NULLS NOT DISTINCT WHERE is_default;
CREATE UNIQUE INDEX one_default_snapshot ON public.warehouse_snapshot USING btree (model_id) WHERE is_default;
CREATE UNIQUE INDEX one_method_of_a_type ON public.payment_paymentmethod USING btree (owner_id, type) WHERE (deleted IS NULL);
CREATE UNIQUE INDEX one_open_checkout ON public.erp_cardcheckout USING btree (order_id) WHERE ((status)::text = ANY (ARRAY[('open'::character varying)::text, ('pending'::character varying)::text]));
CREATE UNIQUE INDEX one_open_quote ON public.erp_quote USING btree (order_id) WHERE ((status)::text = 'open'::text);
CREATE UNIQUE INDEX one_price_an_action ON public.payment_price USING btree (namespace, action, service) WHERE (deleted IS NULL);
CREATE UNIQUE INDEX one_service_of_a_name ON public.integrations_service USING btree (name) WHERE (deleted IS NULL);
CREATE INDEX operation_models ON public.integrations_operation USING gin (result_models jsonb_path_ops);
CREATE INDEX operation_owner ON public.integrations_operation USING btree (owner_id, uuid);
CREATE INDEX order_due ON public.erp_order USING btree (bureau_id, due_date);
CREATE INDEX order_of_bureau ON public.erp_order USING btree (bureau_id, uuid);
CREATE INDEX order_status ON public.erp_order USING btree (bureau_id, status, uuid);
CREATE INDEX order_unpaid ON public.erp_order USING btree (customer_id) WHERE (balance > (0)::numeric);
CREATE INDEX orderapproval_of_bureau ON public.erp_orderapproval USING btree (bureau_id, uuid);
CREATE INDEX orderpayment_of_bureau ON public.erp_orderpayment USING btree (bureau_id, uuid);
CREATE UNIQUE INDEX paid_once ON public.payment_payment USING btree (invoice_id) WHERE ((status)::text = 'succeeded'::text);
CREATE INDEX pair_check_second ON public.search_paircheck USING btree (second_hash, version);
CREATE INDEX payment_charge_corrects_id_a08b14d3 ON public.payment_charge USING btree (corrects_id);
CREATE INDEX payment_charge_invoice_id_27d4321b ON public.payment_charge USING btree (invoice_id);
CREATE INDEX payment_charge_owner_id_005ef5d0 ON public.payment_charge USING btree (owner_id);
CREATE INDEX payment_charge_source_62bb998d ON public.payment_charge USING btree (source);
CREATE INDEX payment_charge_source_62bb998d_like ON public.payment_charge USING btree (source varchar_pattern_ops);
CREATE INDEX payment_consent_owner_id_e37bd6b9 ON public.payment_consent USING btree (owner_id);
CREATE INDEX payment_invoice_owner_id_e3c993c9 ON public.payment_invoice USING btree (owner_id);
CREATE INDEX payment_invoiceevent_actor_id_246e221a ON public.payment_invoiceevent USING btree (actor_id);
CREATE INDEX payment_invoiceevent_invoice_id_017ec23b ON public.payment_invoiceevent USING btree (invoice_id);
CREATE INDEX payment_payment_invoice_id_fe538829 ON public.payment_payment USING btree (invoice_id);
CREATE INDEX payment_payment_reference_1254aacb ON public.payment_payment USING btree (reference);
CREATE INDEX payment_payment_reference_1254aacb_like ON public.payment_payment USING btree (reference varchar_pattern_ops);
CREATE INDEX payment_paymentmethod_owner_id_477a472c ON public.payment_paymentmethod USING btree (owner_id);
CREATE INDEX payment_paymentstatus_owner_id_de13819f ON public.payment_paymentstatus USING btree (owner_id);
CREATE INDEX payment_paymentstatus_price_id_3ab90d97 ON public.payment_paymentstatus USING btree (price_id);
CREATE UNIQUE INDEX payment_recorded_once ON public.erp_orderpayment USING btree (bureau_id, reference) WHERE (NOT ((reference)::text = ''::text));
CREATE INDEX permission_holder ON public.users_permission USING btree (holder_uuid, namespace, "right", object_uuid);
CREATE INDEX permission_object ON public.users_permission USING btree (object_uuid, namespace, "right", holder_uuid);
CREATE UNIQUE INDEX permission_once ON public.users_permission USING btree (md5((COALESCE(holder, ''::text) || COALESCE((COALESCE('
'::text, ''::text) || COALESCE((COALESCE(namespace, ''::text) || COALESCE((COALESCE('
'::text, ''::text) || COALESCE((COALESCE(object, ''::text) || COALESCE((COALESCE('
'::text, ''::text) || COALESCE("right", ''::text)), ''::text)), ''::text)), ''::text)), ''::text)), ''::text))));
CREATE INDEX piece_first ON public.erp_piece USING btree (bureau_id, created) WHERE (number = 1);
CREATE INDEX piece_of_bureau ON public.erp_piece USING btree (bureau_id, uuid);
CREATE INDEX piece_status ON public.erp_piece USING btree (bureau_id, status, uuid);
CREATE INDEX piece_updated ON public.erp_piece USING btree (bureau_id, updated, uuid);
CREATE INDEX postprocessor_of_bureau ON public.erp_postprocessor USING btree (bureau_id, uuid);
CREATE INDEX postprocessortype_of_bureau ON public.erp_postprocessortype USING btree (bureau_id, uuid);
CREATE INDEX pricelist_of_bureau ON public.erp_pricelist USING btree (bureau_id, uuid);
CREATE INDEX pricetable_of_bureau ON public.erp_pricetable USING btree (bureau_id, uuid);
CREATE INDEX priceterm_of_bureau ON public.erp_priceterm USING btree (bureau_id, uuid);
CREATE INDEX printdecision_of_bureau ON public.erp_printdecision USING btree (bureau_id, uuid);
CREATE INDEX printer_gcode_owner ON public.slicing_printergcode USING btree (owner_id, uuid);
CREATE INDEX printer_of_bureau ON public.erp_printer USING btree (bureau_id, uuid);
CREATE INDEX printertype_of_bureau ON public.erp_printertype USING btree (bureau_id, uuid);
CREATE INDEX printreport_of_bureau ON public.erp_printreport USING btree (bureau_id, uuid);
CREATE INDEX processlimits_of_bureau ON public.erp_processlimits USING btree (bureau_id, uuid);
CREATE INDEX processstep_of_bureau ON public.erp_processstep USING btree (bureau_id, uuid);
CREATE INDEX product_of_bureau ON public.erp_product USING btree (bureau_id, uuid);
CREATE INDEX quote_of_bureau ON public.erp_quote USING btree (bureau_id, uuid);
CREATE INDEX quote_open ON public.erp_quote USING btree (bureau_id, expires) WHERE ((status)::text = 'open'::text);
CREATE INDEX received_file_status ON public.erp_receivedfile USING btree (bureau_id, status, uuid);
CREATE INDEX receivedfile_of_bureau ON public.erp_receivedfile USING btree (bureau_id, uuid);
CREATE INDEX run_of_bureau ON public.erp_run USING btree (bureau_id, uuid);
CREATE INDEX run_status ON public.erp_run USING btree (bureau_id, status, uuid);
CREATE INDEX sales_customerlink_expires_e5be0c28 ON public.sales_customerlink USING btree (expires);
CREATE INDEX sales_visit_account_id_a9939465 ON public.sales_visit USING btree (account_id);
CREATE INDEX sales_visit_guest_id_8595c7c6 ON public.sales_visit USING btree (guest_id);
CREATE INDEX search_indexedmodel_content_hash_5e48acd1 ON public.search_indexedmodel USING btree (content_hash);
CREATE INDEX search_indexedmodel_content_hash_5e48acd1_like ON public.search_indexedmodel USING btree (content_hash varchar_pattern_ops);
CREATE INDEX search_indexedmodel_owner_id_7b5a7521 ON public.search_indexedmodel USING btree (owner_id);
CREATE INDEX serviceprovider_of_bureau ON public.erp_serviceprovider USING btree (bureau_id, uuid);
CREATE INDEX sharelink_of_bureau ON public.erp_sharelink USING btree (bureau_id, uuid);
CREATE INDEX shipment_of_bureau ON public.erp_shipment USING btree (bureau_id, uuid);
CREATE INDEX shipping_of_bureau ON public.erp_shipping USING btree (bureau_id, uuid);
CREATE INDEX slice_owner ON public.slicing_slice USING btree (owner_id, uuid);
CREATE INDEX slicerkey_of_bureau ON public.erp_slicerkey USING btree (bureau_id, uuid);
CREATE INDEX slicing_agentengine_bureau_39362eef ON public.slicing_agentengine USING btree (bureau);
CREATE INDEX slicing_association_constraint_id_97b469a6 ON public.slicing_association USING btree (constraint_id);
CREATE INDEX slicing_association_model_uri_4ef65ea5 ON public.slicing_association USING btree (model_uri);
CREATE INDEX slicing_association_model_uri_4ef65ea5_like ON public.slicing_association USING btree (model_uri varchar_pattern_ops);
CREATE INDEX slicing_association_model_uuid_e7b95a12 ON public.slicing_association USING btree (model_uuid);
CREATE INDEX slicing_association_owner_id_455a3746 ON public.slicing_association USING btree (owner_id);
CREATE INDEX slicing_config_agent_engine_id_dfa5f280 ON public.slicing_config USING btree (agent_engine_id);
CREATE INDEX slicing_config_content_id_3abdf571 ON public.slicing_config USING btree (content_id);
CREATE INDEX slicing_config_content_id_3abdf571_like ON public.slicing_config USING btree (content_id varchar_pattern_ops);
CREATE INDEX slicing_config_owner_id_78342347 ON public.slicing_config USING btree (owner_id);
CREATE INDEX slicing_constraint_owner_id_9e552e82 ON public.slicing_constraint USING btree (owner_id);
CREATE INDEX slicing_enginejob_content_id_d12f4c95 ON public.slicing_enginejob USING btree (content_id);
CREATE INDEX slicing_enginejob_content_id_d12f4c95_like ON public.slicing_enginejob USING btree (content_id varchar_pattern_ops);
CREATE INDEX slicing_enginejob_engine_id_89a6a9c1 ON public.slicing_enginejob USING btree (engine_id);
CREATE INDEX slicing_enginejob_status_eefac90f ON public.slicing_enginejob USING btree (status);
CREATE INDEX slicing_enginejob_status_eefac90f_like ON public.slicing_enginejob USING btree (status varchar_pattern_ops);
CREATE INDEX slicing_enginejobfile_content_id_74a76c88 ON public.slicing_enginejobfile USING btree (content_id);
CREATE INDEX slicing_enginejobfile_content_id_74a76c88_like ON public.slicing_enginejobfile USING btree (content_id varchar_pattern_ops);
CREATE INDEX slicing_enginejobfile_job_id_a152d8f8 ON public.slicing_enginejobfile USING btree (job_id);
CREATE INDEX slicing_gcode_content_id_4d249d59 ON public.slicing_gcode USING btree (content_id);
CREATE INDEX slicing_gcode_content_id_4d249d59_like ON public.slicing_gcode USING btree (content_id varchar_pattern_ops);
CREATE INDEX slicing_gcode_first_plate_id_31c46e39 ON public.slicing_gcode USING btree (first_plate_id);
CREATE INDEX slicing_gcode_layers_id_fff3d2e6 ON public.slicing_gcode USING btree (layers_id);
CREATE INDEX slicing_gcode_layers_id_fff3d2e6_like ON public.slicing_gcode USING btree (layers_id varchar_pattern_ops);
CREATE INDEX slicing_gcode_owner_id_211ed875 ON public.slicing_gcode USING btree (owner_id);
CREATE INDEX slicing_gcode_text_id_6f6b0cfc ON public.slicing_gcode USING btree (text_id);
CREATE INDEX slicing_gcode_text_id_6f6b0cfc_like ON public.slicing_gcode USING btree (text_id varchar_pattern_ops);
CREATE INDEX slicing_layerpaths_content_id_0c30d832 ON public.slicing_layerpaths USING btree (content_id);
CREATE INDEX slicing_layerpaths_content_id_0c30d832_like ON public.slicing_layerpaths USING btree (content_id varchar_pattern_ops);
CREATE INDEX slicing_layerpaths_key_1470f61c_like ON public.slicing_layerpaths USING btree (key varchar_pattern_ops);
CREATE INDEX slicing_layerpaths_layers_id_ed872720 ON public.slicing_layerpaths USING btree (layers_id);
CREATE INDEX slicing_layerpaths_layers_id_ed872720_like ON public.slicing_layerpaths USING btree (layers_id varchar_pattern_ops);
CREATE INDEX slicing_layerpaths_source_id_b9e259b1 ON public.slicing_layerpaths USING btree (source_id);
CREATE INDEX slicing_layerpaths_source_id_b9e259b1_like ON public.slicing_layerpaths USING btree (source_id varchar_pattern_ops);
CREATE INDEX slicing_printergcode_owner_id_fa863e80 ON public.slicing_printergcode USING btree (owner_id);
CREATE INDEX slicing_printergcode_preset_uuid_fb0e4186 ON public.slicing_printergcode USING btree (preset_uuid);
CREATE INDEX slicing_slice_config_id_bd24ba86 ON public.slicing_slice USING btree (config_id);
CREATE INDEX slicing_slice_content_id_df9bb2b4 ON public.slicing_slice USING btree (content_id);
CREATE INDEX slicing_slice_content_id_df9bb2b4_like ON public.slicing_slice USING btree (content_id varchar_pattern_ops);
CREATE INDEX slicing_slice_key_e94d2d46 ON public.slicing_slice USING btree (key);
CREATE INDEX slicing_slice_key_e94d2d46_like ON public.slicing_slice USING btree (key varchar_pattern_ops);
CREATE INDEX slicing_slice_layers_id_0a25a3d4 ON public.slicing_slice USING btree (layers_id);
CREATE INDEX slicing_slice_layers_id_0a25a3d4_like ON public.slicing_slice USING btree (layers_id varchar_pattern_ops);
CREATE INDEX slicing_slice_model_uri_3f41a4fd ON public.slicing_slice USING btree (model_uri);
CREATE INDEX slicing_slice_model_uri_3f41a4fd_like ON public.slicing_slice USING btree (model_uri varchar_pattern_ops);
CREATE INDEX slicing_slice_owner_id_e8882bf1 ON public.slicing_slice USING btree (owner_id);
CREATE INDEX staffnotification_of_bureau ON public.erp_staffnotification USING btree (bureau_id, uuid);
CREATE INDEX stock_of_bureau ON public.erp_stock USING btree (bureau_id, uuid);
CREATE INDEX stockmovement_of_bureau ON public.erp_stockmovement USING btree (bureau_id, uuid);
CREATE INDEX storefront_of_bureau ON public.erp_storefront USING btree (bureau_id, uuid);
CREATE INDEX subscription_of_account ON public.callbacks_subscription USING btree (owner_id) WHERE ((deleted IS NULL) AND (resource IS NULL));
CREATE INDEX subscription_of_bureau ON public.callbacks_subscription USING btree (bureau) WHERE ((bureau IS NOT NULL) AND (deleted IS NULL));
CREATE INDEX taxrule_of_bureau ON public.erp_taxrule USING btree (bureau_id, uuid);
CREATE INDEX thirdparty_of_bureau ON public.erp_thirdparty USING btree (bureau_id, uuid);
CREATE INDEX user_guest_until ON public.users_user USING btree (guest_until) WHERE ((guest_until IS NOT NULL) AND is_active);
CREATE INDEX users_apitoken_user_id_1feb0204 ON public.users_apitoken USING btree (user_id);
CREATE INDEX users_auditevent_actor_id_90aa388b ON public.users_auditevent USING btree (actor_id);
CREATE INDEX users_group_creator_id_db13f286 ON public.users_group USING btree (creator_id);
CREATE INDEX users_login_session_id_2a31d4cf_like ON public.users_login USING btree (session_id varchar_pattern_ops);
CREATE INDEX users_login_user_id_abfd19ae ON public.users_login USING btree (user_id);
CREATE INDEX users_notification_recipient_id_0ae2cf8f ON public.users_notification USING btree (recipient_id);
CREATE INDEX users_permission_created_by_id_e9638a3a ON public.users_permission USING btree (created_by_id);
CREATE INDEX users_permission_object_owner_id_955126d4 ON public.users_permission USING btree (object_owner_id);
CREATE INDEX users_recoverycode_factor_id_71ff789d ON public.users_recoverycode USING btree (factor_id);
CREATE INDEX users_savedview_user_id_fbe4330d ON public.users_savedview USING btree (user_id);
CREATE INDEX users_user_groups_group_id_9afc8d0e ON public.users_user_groups USING btree (group_id);
CREATE INDEX users_user_groups_user_id_5f6f5a90 ON public.users_user_groups USING btree (user_id);
CREATE INDEX users_user_look_b023f70d_like ON public.users_user USING btree (look varchar_pattern_ops);
CREATE INDEX users_user_user_permissions_permission_id_0b93982e ON public.users_user_user_permissions USING btree (permission_id);
CREATE INDEX users_user_user_permissions_user_id_20aca447 ON public.users_user_user_permissions USING btree (user_id);
CREATE INDEX users_user_username_06e46fe6_like ON public.users_user USING btree (username varchar_pattern_ops);
CREATE INDEX warehouse_label_model_id_5c4a5056 ON public.warehouse_label USING btree (model_id);
CREATE INDEX warehouse_label_owner_id_4f93865a ON public.warehouse_label USING btree (owner_id);
CREATE INDEX warehouse_model_canonical_id_4c322d1b ON public.warehouse_model USING btree (canonical_id);
CREATE INDEX warehouse_model_canonical_id_4c322d1b_like ON public.warehouse_model USING btree (canonical_id varchar_pattern_ops);
CREATE INDEX warehouse_model_content_id_aaae99c9 ON public.warehouse_model USING btree (content_id);
CREATE INDEX warehouse_model_content_id_aaae99c9_like ON public.warehouse_model USING btree (content_id varchar_pattern_ops);
CREATE INDEX warehouse_model_owner_id_091077af ON public.warehouse_model USING btree (owner_id);
CREATE INDEX warehouse_model_parents_from_model_id_a242f09f ON public.warehouse_model_parents USING btree (from_model_id);
CREATE INDEX warehouse_model_parents_to_model_id_35bd0204 ON public.warehouse_model_parents USING btree (to_model_id);
CREATE INDEX warehouse_model_picture_id_a0b2fa92 ON public.warehouse_model USING btree (picture_id);
CREATE INDEX warehouse_model_picture_id_a0b2fa92_like ON public.warehouse_model USING btree (picture_id varchar_pattern_ops);
CREATE INDEX warehouse_model_small_picture_id_eabcd71b ON public.warehouse_model USING btree (small_picture_id);
CREATE INDEX warehouse_model_small_picture_id_eabcd71b_like ON public.warehouse_model USING btree (small_picture_id varchar_pattern_ops);
CREATE INDEX warehouse_modelversion_owner_id_a8807552 ON public.warehouse_modelversion USING btree (owner_id);
CREATE INDEX warehouse_rendition_content_id_3f34ce9a ON public.warehouse_rendition USING btree (content_id);
CREATE INDEX warehouse_rendition_content_id_3f34ce9a_like ON public.warehouse_rendition USING btree (content_id varchar_pattern_ops);
CREATE INDEX warehouse_rendition_key_14560f86_like ON public.warehouse_rendition USING btree (key varchar_pattern_ops);
CREATE INDEX warehouse_rendition_source_id_f9239f78 ON public.warehouse_rendition USING btree (source_id);
CREATE INDEX warehouse_rendition_source_id_f9239f78_like ON public.warehouse_rendition USING btree (source_id varchar_pattern_ops);
CREATE INDEX warehouse_snapshot_content_id_08350db4 ON public.warehouse_snapshot USING btree (content_id);
CREATE INDEX warehouse_snapshot_content_id_08350db4_like ON public.warehouse_snapshot USING btree (content_id varchar_pattern_ops);
CREATE INDEX warehouse_snapshot_key_dc8dbf52 ON public.warehouse_snapshot USING btree (key);
CREATE INDEX warehouse_snapshot_key_dc8dbf52_like ON public.warehouse_snapshot USING btree (key varchar_pattern_ops);
CREATE INDEX warehouse_snapshot_model_id_40996dc8 ON public.warehouse_snapshot USING btree (model_id);
CREATE INDEX warehouse_snapshot_owner_id_eb1b4604 ON public.warehouse_snapshot USING btree (owner_id);
CREATE INDEX workflow_of_bureau ON public.erp_workflow USING btree (bureau_id, uuid);
CREATE INDEX workingcalendar_of_bureau ON public.erp_workingcalendar USING btree (bureau_id, uuid);
CREATE TRIGGER append_only BEFORE UPDATE ON public.erp_orderapproval FOR EACH ROW EXECUTE FUNCTION public.erp_order_approval_fixed();
CREATE TRIGGER append_only BEFORE UPDATE ON public.erp_printdecision FOR EACH ROW EXECUTE FUNCTION public.erp_print_decision_fixed();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.payment_invoiceevent FOR EACH ROW EXECUTE FUNCTION public.payment_invoiceevent_is_append_only();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.users_auditevent FOR EACH ROW EXECUTE FUNCTION public.users_auditevent_is_append_only();
CREATE TRIGGER balance AFTER INSERT ON public.erp_document FOR EACH ROW WHEN (((new.type)::text = ANY (ARRAY[('invoice'::character varying)::text, ('credit-note'::character varying)::text]))) EXECUTE FUNCTION public.erp_order_balance();
CREATE TRIGGER balance AFTER INSERT ON public.erp_orderpayment FOR EACH ROW WHEN (((new.currency)::text = ''::text)) EXECUTE FUNCTION public.erp_order_balance();
CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF content_id, deleted ON public.slicing_gcode FOR EACH ROW EXECUTE FUNCTION public.core_count_bytes();
CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF content_id, deleted ON public.slicing_slice FOR EACH ROW EXECUTE FUNCTION public.core_count_bytes();
CREATE TRIGGER count_bytes AFTER INSERT OR DELETE OR UPDATE OF content_id, deleted ON public.warehouse_model FOR EACH ROW EXECUTE FUNCTION public.core_count_bytes();
CREATE TRIGGER count_text_bytes AFTER INSERT OR DELETE OR UPDATE OF text_id, deleted ON public.slicing_gcode FOR EACH ROW EXECUTE FUNCTION public.core_count_bytes('text_id');
CREATE TRIGGER customer BEFORE INSERT ON public.erp_document FOR EACH ROW EXECUTE FUNCTION public.erp_customer_of_document();
CREATE TRIGGER customer_of_documents AFTER UPDATE OF customer_id ON public.erp_order FOR EACH ROW WHEN ((old.customer_id IS DISTINCT FROM new.customer_id)) EXECUTE FUNCTION public.erp_customer_of_documents();
CREATE TRIGGER fixed BEFORE DELETE OR UPDATE ON public.erp_document FOR EACH ROW EXECUTE FUNCTION public.erp_document_fixed();
CREATE TRIGGER net_on_delete AFTER DELETE ON public.erp_lineitem REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.erp_net_of_line_items();
CREATE TRIGGER net_on_delete AFTER DELETE ON public.erp_quote REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION public.erp_net_of_quotes();
CREATE TRIGGER net_on_insert AFTER INSERT ON public.erp_lineitem REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.erp_net_of_line_items();
CREATE TRIGGER net_on_insert AFTER INSERT ON public.erp_quote REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.erp_net_of_quotes();
CREATE TRIGGER net_on_update AFTER UPDATE ON public.erp_lineitem REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.erp_net_of_line_items();
CREATE TRIGGER net_on_update AFTER UPDATE ON public.erp_quote REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION public.erp_net_of_quotes();
CREATE TRIGGER number_order BEFORE INSERT ON public.erp_order FOR EACH ROW WHEN ((new.number = 0)) EXECUTE FUNCTION public.erp_number_order();
CREATE TRIGGER stays BEFORE INSERT OR DELETE OR UPDATE ON public.payment_charge FOR EACH ROW EXECUTE FUNCTION public.payment_charge_stays();
CREATE TRIGGER stays BEFORE DELETE OR UPDATE ON public.payment_invoice FOR EACH ROW EXECUTE FUNCTION public.payment_invoice_stays();
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissio_permission_id_84c5c92e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_group_permissions
    ADD CONSTRAINT auth_group_permissions_group_id_b120cbf9_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.auth_permission
    ADD CONSTRAINT auth_permission_content_type_id_2f476e4b_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.callbacks_delivery
    ADD CONSTRAINT callbacks_delivery_event_id_02f31c2f_fk_callbacks_event_uuid FOREIGN KEY (event_id) REFERENCES public.callbacks_event(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.callbacks_delivery
    ADD CONSTRAINT callbacks_delivery_origin_id_4228355c_fk_callbacks_origin_id FOREIGN KEY (origin_id) REFERENCES public.callbacks_origin(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.callbacks_delivery
    ADD CONSTRAINT callbacks_delivery_owner_id_df566736_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.callbacks_delivery
    ADD CONSTRAINT callbacks_delivery_replayed_by_id_69f62f30_fk_users_user_uuid FOREIGN KEY (replayed_by_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.callbacks_delivery
    ADD CONSTRAINT callbacks_delivery_subscription_id_a05401c4_fk_callbacks FOREIGN KEY (subscription_id) REFERENCES public.callbacks_subscription(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.callbacks_event
    ADD CONSTRAINT callbacks_event_owner_id_3afb8751_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.callbacks_eventcounter
    ADD CONSTRAINT callbacks_eventcounter_owner_id_ba4824cc_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.callbacks_outcome
    ADD CONSTRAINT callbacks_outcome_delivery_id_469dd379_fk_callbacks FOREIGN KEY (delivery_id) REFERENCES public.callbacks_delivery(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.callbacks_sink
    ADD CONSTRAINT callbacks_sink_owner_id_dc0c9cbc_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.callbacks_subscription
    ADD CONSTRAINT callbacks_subscripti_origin_id_911144f1_fk_callbacks FOREIGN KEY (origin_id) REFERENCES public.callbacks_origin(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.callbacks_subscription
    ADD CONSTRAINT callbacks_subscription_owner_id_64b854c1_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.callbacks_sunkrequest
    ADD CONSTRAINT callbacks_sunkrequest_sink_id_5b50c5ac_fk_callbacks_sink_uuid FOREIGN KEY (sink_id) REFERENCES public.callbacks_sink(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.callbacks_webhooksecret
    ADD CONSTRAINT callbacks_webhooksecret_owner_id_9b03036c_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.core_idempotentanswer
    ADD CONSTRAINT core_idempotentanswer_user_id_1d402922_fk_users_user_uuid FOREIGN KEY (user_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_content_type_id_c4bce8eb_fk_django_co FOREIGN KEY (content_type_id) REFERENCES public.django_content_type(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.django_admin_log
    ADD CONSTRAINT django_admin_log_user_id_c564eba6_fk_users_user_uuid FOREIGN KEY (user_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_agent
    ADD CONSTRAINT erp_agent_bureau_id_318eb0d9_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_agent
    ADD CONSTRAINT erp_agent_creator_id_d94f658d_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_agent
    ADD CONSTRAINT erp_agent_location_id_2826bc99_fk_erp_location_uuid FOREIGN KEY (location_id) REFERENCES public.erp_location(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_attempt
    ADD CONSTRAINT erp_attempt_bureau_id_2319f092_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_attempt
    ADD CONSTRAINT erp_attempt_creator_id_6011021c_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_attempt_loaded
    ADD CONSTRAINT erp_attempt_loaded_attempt_id_221dd19e_fk_erp_attempt_uuid FOREIGN KEY (attempt_id) REFERENCES public.erp_attempt(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_attempt_loaded
    ADD CONSTRAINT erp_attempt_loaded_stock_id_51d8aa60_fk_erp_stock_uuid FOREIGN KEY (stock_id) REFERENCES public.erp_stock(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_attempt
    ADD CONSTRAINT erp_attempt_printer_id_cc305b4b_fk_erp_printer_uuid FOREIGN KEY (printer_id) REFERENCES public.erp_printer(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_attempt
    ADD CONSTRAINT erp_attempt_run_id_233e503c_fk_erp_run_uuid FOREIGN KEY (run_id) REFERENCES public.erp_run(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_attemptpicture
    ADD CONSTRAINT erp_attemptpicture_attempt_id_1cd7cd5b_fk_erp_attempt_uuid FOREIGN KEY (attempt_id) REFERENCES public.erp_attempt(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_attemptpicture
    ADD CONSTRAINT erp_attemptpicture_content_id_245b61d0_fk_core_blob_sha256 FOREIGN KEY (content_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_attemptreadings
    ADD CONSTRAINT erp_attemptreadings_attempt_id_d40f1438_fk_erp_attempt_uuid FOREIGN KEY (attempt_id) REFERENCES public.erp_attempt(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_bankaccount
    ADD CONSTRAINT erp_bankaccount_bureau_id_0c2dc4a7_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_bankaccount
    ADD CONSTRAINT erp_bankaccount_creator_id_fb1908bc_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_bureau
    ADD CONSTRAINT erp_bureau_creator_id_93cda73a_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_camerapicture
    ADD CONSTRAINT erp_camerapicture_printer_id_18a5254b_fk_erp_printer_uuid FOREIGN KEY (printer_id) REFERENCES public.erp_printer(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_cardaccount
    ADD CONSTRAINT erp_cardaccount_bureau_id_6c1d90e9_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_cardaccount
    ADD CONSTRAINT erp_cardaccount_creator_id_43c66615_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_cardcheckout
    ADD CONSTRAINT erp_cardcheckout_order_id_2943a4da_fk_erp_order_uuid FOREIGN KEY (order_id) REFERENCES public.erp_order(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_companymember
    ADD CONSTRAINT erp_companymember_bureau_id_54dc261d_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_companymember
    ADD CONSTRAINT erp_companymember_company_id_4637163d_fk_erp_custo FOREIGN KEY (company_id) REFERENCES public.erp_customercompany(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_connectiontest
    ADD CONSTRAINT erp_connectiontest_agent_id_bf409c06_fk_erp_agent_uuid FOREIGN KEY (agent_id) REFERENCES public.erp_agent(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_connectiontest
    ADD CONSTRAINT erp_connectiontest_printer_id_597a61e8_fk_erp_printer_uuid FOREIGN KEY (printer_id) REFERENCES public.erp_printer(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_currencyconversion
    ADD CONSTRAINT erp_currencyconversion_bureau_id_d7c45a12_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_customer
    ADD CONSTRAINT erp_customer_bureau_id_7dcfd9d9_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_customer
    ADD CONSTRAINT erp_customer_company_id_9a538006_fk_erp_customercompany_uuid FOREIGN KEY (company_id) REFERENCES public.erp_customercompany(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_customer
    ADD CONSTRAINT erp_customer_group_id_366b11e2_fk_erp_customergroup_uuid FOREIGN KEY (group_id) REFERENCES public.erp_customergroup(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_customer
    ADD CONSTRAINT erp_customer_user_id_64287d8c_fk_users_user_uuid FOREIGN KEY (user_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_customer
    ADD CONSTRAINT erp_customer_vat_confirmed_by_id_8b501f89_fk_users_user_uuid FOREIGN KEY (vat_confirmed_by_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_customercompany
    ADD CONSTRAINT erp_customercompany_bureau_id_adb3be91_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_customercompany
    ADD CONSTRAINT erp_customercompany_group_id_9e5cff06_fk_erp_customergroup_uuid FOREIGN KEY (group_id) REFERENCES public.erp_customergroup(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_customergroup
    ADD CONSTRAINT erp_customergroup_bureau_id_927e04c6_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_customergroup
    ADD CONSTRAINT erp_customergroup_price_list_id_59f2fc6a_fk_erp_pricelist_uuid FOREIGN KEY (price_list_id) REFERENCES public.erp_pricelist(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_document
    ADD CONSTRAINT erp_document_bureau_id_c797df84_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_document
    ADD CONSTRAINT erp_document_content_id_b8e16a44_fk_core_blob_sha256 FOREIGN KEY (content_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_document
    ADD CONSTRAINT erp_document_corrects_id_308d2379_fk_erp_document_uuid FOREIGN KEY (corrects_id) REFERENCES public.erp_document(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_document
    ADD CONSTRAINT erp_document_creator_id_de2b5403_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_document
    ADD CONSTRAINT erp_document_order_id_08071326_fk_erp_order_uuid FOREIGN KEY (order_id) REFERENCES public.erp_order(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_document
    ADD CONSTRAINT erp_document_quote_id_33ae5b95_fk_erp_quote_uuid FOREIGN KEY (quote_id) REFERENCES public.erp_quote(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_document
    ADD CONSTRAINT erp_document_series_id_4ca488af_fk_erp_documentseries_uuid FOREIGN KEY (series_id) REFERENCES public.erp_documentseries(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_document
    ADD CONSTRAINT erp_document_shipment_id_2c0bf683_fk_erp_shipment_uuid FOREIGN KEY (shipment_id) REFERENCES public.erp_shipment(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_documentseries
    ADD CONSTRAINT erp_documentseries_bureau_id_3d635a9c_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_documentseries
    ADD CONSTRAINT erp_documentseries_creator_id_b8bffb12_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_duemaintenance
    ADD CONSTRAINT erp_duemaintenance_printer_id_06980b1a_fk_erp_printer_uuid FOREIGN KEY (printer_id) REFERENCES public.erp_printer(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_duemaintenance
    ADD CONSTRAINT erp_duemaintenance_task_id_43519830_fk_erp_maintenancetask_uuid FOREIGN KEY (task_id) REFERENCES public.erp_maintenancetask(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_feature
    ADD CONSTRAINT erp_feature_bureau_id_10710e3e_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_invitation
    ADD CONSTRAINT erp_invitation_accepted_by_id_08db16fa_fk_users_user_uuid FOREIGN KEY (accepted_by_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_invitation
    ADD CONSTRAINT erp_invitation_bureau_id_2914133c_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_invitation
    ADD CONSTRAINT erp_invitation_creator_id_9ff43ded_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_lineitem
    ADD CONSTRAINT erp_lineitem_base_material_id_47fb961c_fk_erp_material_uuid FOREIGN KEY (base_material_id) REFERENCES public.erp_material(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_lineitem
    ADD CONSTRAINT erp_lineitem_bureau_id_d55722d5_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_lineitem
    ADD CONSTRAINT erp_lineitem_creator_id_f607bcc1_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_lineitem
    ADD CONSTRAINT erp_lineitem_order_id_f62b7f76_fk_erp_order_uuid FOREIGN KEY (order_id) REFERENCES public.erp_order(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_lineitem
    ADD CONSTRAINT erp_lineitem_product_id_f6772da6_fk_erp_product_uuid FOREIGN KEY (product_id) REFERENCES public.erp_product(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_lineitem
    ADD CONSTRAINT erp_lineitem_support_material_id_9c18c6ca_fk_erp_material_uuid FOREIGN KEY (support_material_id) REFERENCES public.erp_material(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_lineitem
    ADD CONSTRAINT erp_lineitem_workflow_id_8fdb1404_fk_erp_workflow_uuid FOREIGN KEY (workflow_id) REFERENCES public.erp_workflow(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_location
    ADD CONSTRAINT erp_location_bureau_id_0686adfd_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_location
    ADD CONSTRAINT erp_location_creator_id_bce8cbde_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_logo
    ADD CONSTRAINT erp_logo_bureau_id_7db50a58_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_maintenanceentry
    ADD CONSTRAINT erp_maintenanceentry_bureau_id_31cf6957_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_maintenanceentry
    ADD CONSTRAINT erp_maintenanceentry_creator_id_ea11c17d_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_maintenanceentry
    ADD CONSTRAINT erp_maintenanceentry_printer_id_c32bf254_fk_erp_printer_uuid FOREIGN KEY (printer_id) REFERENCES public.erp_printer(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_maintenanceentry
    ADD CONSTRAINT erp_maintenanceentry_task_id_d7f679c4_fk_erp_maint FOREIGN KEY (task_id) REFERENCES public.erp_maintenancetask(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_maintenancetask
    ADD CONSTRAINT erp_maintenancetask_bureau_id_d39b092f_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_maintenancetask
    ADD CONSTRAINT erp_maintenancetask_printer_type_id_1d53f34c_fk_erp_print FOREIGN KEY (printer_type_id) REFERENCES public.erp_printertype(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_manufacturer
    ADD CONSTRAINT erp_manufacturer_bureau_id_4c2efd28_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_material
    ADD CONSTRAINT erp_material_bureau_id_b91c0423_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_material
    ADD CONSTRAINT erp_material_manufacturer_id_ca0796d0_fk_erp_manufacturer_uuid FOREIGN KEY (manufacturer_id) REFERENCES public.erp_manufacturer(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_membershiplocation
    ADD CONSTRAINT erp_membershiplocati_location_id_55708309_fk_erp_locat FOREIGN KEY (location_id) REFERENCES public.erp_location(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_membershiplocation
    ADD CONSTRAINT erp_membershiplocation_bureau_id_f73056cf_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_membershiplocation
    ADD CONSTRAINT erp_membershiplocation_user_id_28897623_fk_users_user_uuid FOREIGN KEY (user_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_message
    ADD CONSTRAINT erp_message_bureau_id_e4c2757a_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_message
    ADD CONSTRAINT erp_message_channel_id_660eef52_fk_erp_notificationchannel_uuid FOREIGN KEY (channel_id) REFERENCES public.erp_notificationchannel(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_message
    ADD CONSTRAINT erp_message_creator_id_9896216a_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_message
    ADD CONSTRAINT erp_message_order_id_239dc084_fk_erp_order_uuid FOREIGN KEY (order_id) REFERENCES public.erp_order(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_messagetemplate
    ADD CONSTRAINT erp_messagetemplate_bureau_id_ee6871b0_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_messagetemplate
    ADD CONSTRAINT erp_messagetemplate_creator_id_b2bc4362_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_modellibrary
    ADD CONSTRAINT erp_modellibrary_bureau_id_3fa30d23_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_modellibrary
    ADD CONSTRAINT erp_modellibrary_material_id_e2154732_fk_erp_material_uuid FOREIGN KEY (material_id) REFERENCES public.erp_material(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_modellibrary
    ADD CONSTRAINT erp_modellibrary_workflow_id_18401283_fk_erp_workflow_uuid FOREIGN KEY (workflow_id) REFERENCES public.erp_workflow(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_notificationchannel
    ADD CONSTRAINT erp_notificationchannel_bureau_id_bab2c1e9_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_notificationchannel
    ADD CONSTRAINT erp_notificationchannel_creator_id_111a743a_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_order
    ADD CONSTRAINT erp_order_bureau_id_6ed217c7_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_order
    ADD CONSTRAINT erp_order_creator_id_afbddbbb_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_order
    ADD CONSTRAINT erp_order_customer_id_0b5d6f75_fk_erp_customer_uuid FOREIGN KEY (customer_id) REFERENCES public.erp_customer(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_order
    ADD CONSTRAINT erp_order_price_list_id_8981634e_fk_erp_pricelist_uuid FOREIGN KEY (price_list_id) REFERENCES public.erp_pricelist(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_order
    ADD CONSTRAINT erp_order_shipping_id_5dec666a_fk_erp_shipping_uuid FOREIGN KEY (shipping_id) REFERENCES public.erp_shipping(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_orderapproval
    ADD CONSTRAINT erp_orderapproval_bureau_id_0d5b1b7a_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_orderapproval
    ADD CONSTRAINT erp_orderapproval_company_id_5d09ae28_fk_erp_custo FOREIGN KEY (company_id) REFERENCES public.erp_customercompany(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_orderapproval
    ADD CONSTRAINT erp_orderapproval_creator_id_ee1d16b8_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_orderapproval
    ADD CONSTRAINT erp_orderapproval_order_id_7a103f07_fk_erp_order_uuid FOREIGN KEY (order_id) REFERENCES public.erp_order(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_orderpayment
    ADD CONSTRAINT erp_orderpayment_bureau_id_881982ca_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_orderpayment
    ADD CONSTRAINT erp_orderpayment_creator_id_1a3bd6bd_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_orderpayment
    ADD CONSTRAINT erp_orderpayment_order_id_958b6ba7_fk_erp_order_uuid FOREIGN KEY (order_id) REFERENCES public.erp_order(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_orderpayment
    ADD CONSTRAINT erp_orderpayment_refunds_id_0cfbdcbd_fk_erp_orderpayment_uuid FOREIGN KEY (refunds_id) REFERENCES public.erp_orderpayment(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_orderpayment
    ADD CONSTRAINT erp_orderpayment_reverses_id_e310e317_fk_erp_orderpayment_uuid FOREIGN KEY (reverses_id) REFERENCES public.erp_orderpayment(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_piece
    ADD CONSTRAINT erp_piece_bureau_id_13bc1f4c_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_piece
    ADD CONSTRAINT erp_piece_line_item_id_a2126764_fk_erp_lineitem_uuid FOREIGN KEY (line_item_id) REFERENCES public.erp_lineitem(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_piece
    ADD CONSTRAINT erp_piece_place_id_f81f53a9_fk_erp_place_id FOREIGN KEY (place_id) REFERENCES public.erp_place(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_piece
    ADD CONSTRAINT erp_piece_replica_of_id_479983de_fk_erp_piece_uuid FOREIGN KEY (replica_of_id) REFERENCES public.erp_piece(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_piece
    ADD CONSTRAINT erp_piece_step_id_03291deb_fk_erp_processstep_uuid FOREIGN KEY (step_id) REFERENCES public.erp_processstep(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_place
    ADD CONSTRAINT erp_place_piece_id_58dfcba4_fk_erp_piece_uuid FOREIGN KEY (piece_id) REFERENCES public.erp_piece(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_place
    ADD CONSTRAINT erp_place_run_id_e450d6f5_fk_erp_run_uuid FOREIGN KEY (run_id) REFERENCES public.erp_run(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_place
    ADD CONSTRAINT erp_place_step_id_3b1d753e_fk_erp_processstep_uuid FOREIGN KEY (step_id) REFERENCES public.erp_processstep(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_postprocessor
    ADD CONSTRAINT erp_postprocessor_bureau_id_07baa43f_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_postprocessor
    ADD CONSTRAINT erp_postprocessor_location_id_34aff55b_fk_erp_location_uuid FOREIGN KEY (location_id) REFERENCES public.erp_location(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_postprocessor
    ADD CONSTRAINT erp_postprocessor_post_processor_type__28807aa6_fk_erp_postp FOREIGN KEY (post_processor_type_id) REFERENCES public.erp_postprocessortype(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_postprocessortype
    ADD CONSTRAINT erp_postprocessortyp_manufacturer_id_1c0fa026_fk_erp_manuf FOREIGN KEY (manufacturer_id) REFERENCES public.erp_manufacturer(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_postprocessortype_materials
    ADD CONSTRAINT erp_postprocessortyp_material_id_3339255b_fk_erp_mater FOREIGN KEY (material_id) REFERENCES public.erp_material(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_postprocessortype_materials
    ADD CONSTRAINT erp_postprocessortyp_postprocessortype_id_5a13ffb6_fk_erp_postp FOREIGN KEY (postprocessortype_id) REFERENCES public.erp_postprocessortype(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_postprocessortype
    ADD CONSTRAINT erp_postprocessortype_bureau_id_aba01bac_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_pricelist
    ADD CONSTRAINT erp_pricelist_bureau_id_c3fd1866_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_pricelist
    ADD CONSTRAINT erp_pricelist_calendar_id_91b2c935_fk_erp_workingcalendar_uuid FOREIGN KEY (calendar_id) REFERENCES public.erp_workingcalendar(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_pricetable
    ADD CONSTRAINT erp_pricetable_bureau_id_69f2cff5_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_pricetable
    ADD CONSTRAINT erp_pricetable_creator_id_34c9a88e_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_pricetable
    ADD CONSTRAINT erp_pricetable_customer_id_be35361d_fk_erp_customer_uuid FOREIGN KEY (customer_id) REFERENCES public.erp_customer(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_priceterm
    ADD CONSTRAINT erp_priceterm_bureau_id_788d28e5_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_priceterm_customer_groups
    ADD CONSTRAINT erp_priceterm_custom_customergroup_id_e6e5cc13_fk_erp_custo FOREIGN KEY (customergroup_id) REFERENCES public.erp_customergroup(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_priceterm_customer_groups
    ADD CONSTRAINT erp_priceterm_custom_priceterm_id_c2edaccd_fk_erp_price FOREIGN KEY (priceterm_id) REFERENCES public.erp_priceterm(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_priceterm_materials
    ADD CONSTRAINT erp_priceterm_materi_material_id_c4cbbd53_fk_erp_mater FOREIGN KEY (material_id) REFERENCES public.erp_material(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_priceterm_materials
    ADD CONSTRAINT erp_priceterm_materi_priceterm_id_5326f8b8_fk_erp_price FOREIGN KEY (priceterm_id) REFERENCES public.erp_priceterm(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_priceterm_post_processor_types
    ADD CONSTRAINT erp_priceterm_post_p_postprocessortype_id_c4cf9f13_fk_erp_postp FOREIGN KEY (postprocessortype_id) REFERENCES public.erp_postprocessortype(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_priceterm_post_processor_types
    ADD CONSTRAINT erp_priceterm_post_p_priceterm_id_40cc76eb_fk_erp_price FOREIGN KEY (priceterm_id) REFERENCES public.erp_priceterm(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_priceterm
    ADD CONSTRAINT erp_priceterm_price_list_id_c731ce9b_fk_erp_pricelist_uuid FOREIGN KEY (price_list_id) REFERENCES public.erp_pricelist(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_priceterm_printer_types
    ADD CONSTRAINT erp_priceterm_printe_priceterm_id_446e3942_fk_erp_price FOREIGN KEY (priceterm_id) REFERENCES public.erp_priceterm(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_priceterm_printer_types
    ADD CONSTRAINT erp_priceterm_printe_printertype_id_2faa1a27_fk_erp_print FOREIGN KEY (printertype_id) REFERENCES public.erp_printertype(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_priceterm_shippings
    ADD CONSTRAINT erp_priceterm_shippi_priceterm_id_017b4631_fk_erp_price FOREIGN KEY (priceterm_id) REFERENCES public.erp_priceterm(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_priceterm_shippings
    ADD CONSTRAINT erp_priceterm_shippi_shipping_id_460ca628_fk_erp_shipp FOREIGN KEY (shipping_id) REFERENCES public.erp_shipping(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printdecision
    ADD CONSTRAINT erp_printdecision_bureau_id_cce8e0ac_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printdecision
    ADD CONSTRAINT erp_printdecision_creator_id_f97cc8fe_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printdecision
    ADD CONSTRAINT erp_printdecision_print_report_id_c1389eec_fk_erp_print FOREIGN KEY (print_report_id) REFERENCES public.erp_printreport(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printer
    ADD CONSTRAINT erp_printer_agent_id_a7a7f08c_fk_erp_agent_uuid FOREIGN KEY (agent_id) REFERENCES public.erp_agent(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printer
    ADD CONSTRAINT erp_printer_bureau_id_61d68f38_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printer_loaded
    ADD CONSTRAINT erp_printer_loaded_printer_id_a5267b0b_fk_erp_printer_uuid FOREIGN KEY (printer_id) REFERENCES public.erp_printer(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printer_loaded
    ADD CONSTRAINT erp_printer_loaded_stock_id_55bc23e3_fk_erp_stock_uuid FOREIGN KEY (stock_id) REFERENCES public.erp_stock(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printer
    ADD CONSTRAINT erp_printer_location_id_e10aa711_fk_erp_location_uuid FOREIGN KEY (location_id) REFERENCES public.erp_location(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printer
    ADD CONSTRAINT erp_printer_printer_type_id_2beb6c7c_fk_erp_printertype_uuid FOREIGN KEY (printer_type_id) REFERENCES public.erp_printertype(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printertype
    ADD CONSTRAINT erp_printertype_bureau_id_90ecf331_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printertype
    ADD CONSTRAINT erp_printertype_manufacturer_id_e0558b38_fk_erp_manuf FOREIGN KEY (manufacturer_id) REFERENCES public.erp_manufacturer(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printertype_materials
    ADD CONSTRAINT erp_printertype_mate_material_id_703b7260_fk_erp_mater FOREIGN KEY (material_id) REFERENCES public.erp_material(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printertype_materials
    ADD CONSTRAINT erp_printertype_mate_printertype_id_3e080e99_fk_erp_print FOREIGN KEY (printertype_id) REFERENCES public.erp_printertype(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printreport
    ADD CONSTRAINT erp_printreport_bureau_id_d33ca3d9_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printreport
    ADD CONSTRAINT erp_printreport_creator_id_0ccb10dd_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printreport
    ADD CONSTRAINT erp_printreport_line_item_id_30afe047_fk_erp_lineitem_uuid FOREIGN KEY (line_item_id) REFERENCES public.erp_lineitem(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printreport
    ADD CONSTRAINT erp_printreport_order_id_df579c61_fk_erp_order_uuid FOREIGN KEY (order_id) REFERENCES public.erp_order(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printreportfile
    ADD CONSTRAINT erp_printreportfile_content_id_228e4102_fk_core_blob_sha256 FOREIGN KEY (content_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_printreportfile
    ADD CONSTRAINT erp_printreportfile_order_id_1389e188_fk_erp_order_uuid FOREIGN KEY (order_id) REFERENCES public.erp_order(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_processlimits
    ADD CONSTRAINT erp_processlimits_bureau_id_8272f579_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_processlimits
    ADD CONSTRAINT erp_processlimits_creator_id_0645ddf0_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_processlimits
    ADD CONSTRAINT erp_processlimits_printer_type_id_160a989b_fk_erp_print FOREIGN KEY (printer_type_id) REFERENCES public.erp_printertype(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_processstep
    ADD CONSTRAINT erp_processstep_bureau_id_d9b6e74b_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_processstep
    ADD CONSTRAINT erp_processstep_post_processor_type__ebe78a86_fk_erp_postp FOREIGN KEY (post_processor_type_id) REFERENCES public.erp_postprocessortype(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_processstep
    ADD CONSTRAINT erp_processstep_printer_type_id_105b1197_fk_erp_print FOREIGN KEY (printer_type_id) REFERENCES public.erp_printertype(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_processstep
    ADD CONSTRAINT erp_processstep_shipping_id_d6740625_fk_erp_shipping_uuid FOREIGN KEY (shipping_id) REFERENCES public.erp_shipping(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_processstep
    ADD CONSTRAINT erp_processstep_workflow_id_3187de76_fk_erp_workflow_uuid FOREIGN KEY (workflow_id) REFERENCES public.erp_workflow(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_product
    ADD CONSTRAINT erp_product_bureau_id_8d63cf80_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_product
    ADD CONSTRAINT erp_product_model_library_id_44d317b2_fk_erp_modellibrary_uuid FOREIGN KEY (model_library_id) REFERENCES public.erp_modellibrary(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_product
    ADD CONSTRAINT erp_product_order_id_6019ea69_fk_erp_order_uuid FOREIGN KEY (order_id) REFERENCES public.erp_order(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_quote
    ADD CONSTRAINT erp_quote_bureau_id_6d873feb_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_quote
    ADD CONSTRAINT erp_quote_creator_id_cefe36c8_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_quote
    ADD CONSTRAINT erp_quote_order_id_1b672778_fk_erp_order_uuid FOREIGN KEY (order_id) REFERENCES public.erp_order(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_receivedfile
    ADD CONSTRAINT erp_receivedfile_bureau_id_ba35b850_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_receivedfile
    ADD CONSTRAINT erp_receivedfile_creator_id_f13a2447_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_receivedfile
    ADD CONSTRAINT erp_receivedfile_run_id_fb57f09a_fk_erp_run_uuid FOREIGN KEY (run_id) REFERENCES public.erp_run(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_receivedfile
    ADD CONSTRAINT erp_receivedfile_slicer_key_id_9e4358f1_fk_erp_slicerkey_uuid FOREIGN KEY (slicer_key_id) REFERENCES public.erp_slicerkey(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_reservation
    ADD CONSTRAINT erp_reservation_material_id_8983f723_fk_erp_material_uuid FOREIGN KEY (material_id) REFERENCES public.erp_material(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_reservation
    ADD CONSTRAINT erp_reservation_run_id_71b68ac7_fk_erp_run_uuid FOREIGN KEY (run_id) REFERENCES public.erp_run(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_reservation
    ADD CONSTRAINT erp_reservation_stock_id_e0f663f4_fk_erp_stock_uuid FOREIGN KEY (stock_id) REFERENCES public.erp_stock(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_run
    ADD CONSTRAINT erp_run_bureau_id_7c41ae41_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_run
    ADD CONSTRAINT erp_run_content_3mf_id_6b9932d3_fk_core_blob_sha256 FOREIGN KEY (content_3mf_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_run
    ADD CONSTRAINT erp_run_creator_id_dc57ab48_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_run
    ADD CONSTRAINT erp_run_material_id_58e93d07_fk_erp_material_uuid FOREIGN KEY (material_id) REFERENCES public.erp_material(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_run
    ADD CONSTRAINT erp_run_post_processor_id_3a67784f_fk_erp_postprocessor_uuid FOREIGN KEY (post_processor_id) REFERENCES public.erp_postprocessor(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_run
    ADD CONSTRAINT erp_run_printer_id_aaa543b1_fk_erp_printer_uuid FOREIGN KEY (printer_id) REFERENCES public.erp_printer(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_run
    ADD CONSTRAINT erp_run_printer_type_id_85618c77_fk_erp_printertype_uuid FOREIGN KEY (printer_type_id) REFERENCES public.erp_printertype(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_run
    ADD CONSTRAINT erp_run_shipping_id_85c64b68_fk_erp_shipping_uuid FOREIGN KEY (shipping_id) REFERENCES public.erp_shipping(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_serviceprovider
    ADD CONSTRAINT erp_serviceprovider_bureau_id_13bbb17a_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_sharelink
    ADD CONSTRAINT erp_sharelink_bureau_id_23631643_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_sharelink
    ADD CONSTRAINT erp_sharelink_creator_id_acce3435_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_sharelink
    ADD CONSTRAINT erp_sharelink_order_id_cb965970_fk_erp_order_uuid FOREIGN KEY (order_id) REFERENCES public.erp_order(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_shipment
    ADD CONSTRAINT erp_shipment_bureau_id_6ce9f1cd_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_shipment
    ADD CONSTRAINT erp_shipment_creator_id_0841598f_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_shipment
    ADD CONSTRAINT erp_shipment_order_id_abe77465_fk_erp_order_uuid FOREIGN KEY (order_id) REFERENCES public.erp_order(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_shipmentline
    ADD CONSTRAINT erp_shipmentline_line_item_id_8d0f8065_fk_erp_lineitem_uuid FOREIGN KEY (line_item_id) REFERENCES public.erp_lineitem(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_shipmentline
    ADD CONSTRAINT erp_shipmentline_shipment_id_821fbced_fk_erp_shipment_uuid FOREIGN KEY (shipment_id) REFERENCES public.erp_shipment(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_shipping
    ADD CONSTRAINT erp_shipping_bureau_id_5d4ab8f4_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_slicerkey
    ADD CONSTRAINT erp_slicerkey_bureau_id_3225daaf_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_slicerkey
    ADD CONSTRAINT erp_slicerkey_creator_id_3752ff75_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_slicerkey
    ADD CONSTRAINT erp_slicerkey_printer_type_id_7380b61a_fk_erp_printertype_uuid FOREIGN KEY (printer_type_id) REFERENCES public.erp_printertype(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_staffnotification
    ADD CONSTRAINT erp_staffnotification_bureau_id_84159cad_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_staffnotification
    ADD CONSTRAINT erp_staffnotification_creator_id_0df8fe38_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_stock
    ADD CONSTRAINT erp_stock_bureau_id_4282510f_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_stock
    ADD CONSTRAINT erp_stock_location_id_c3693f3d_fk_erp_location_uuid FOREIGN KEY (location_id) REFERENCES public.erp_location(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_stock
    ADD CONSTRAINT erp_stock_material_id_e324bcfe_fk_erp_material_uuid FOREIGN KEY (material_id) REFERENCES public.erp_material(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_stockmovement
    ADD CONSTRAINT erp_stockmovement_attempt_id_7945cace_fk_erp_attempt_uuid FOREIGN KEY (attempt_id) REFERENCES public.erp_attempt(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_stockmovement
    ADD CONSTRAINT erp_stockmovement_bureau_id_d13b5875_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_stockmovement
    ADD CONSTRAINT erp_stockmovement_creator_id_9c38b295_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_stockmovement
    ADD CONSTRAINT erp_stockmovement_run_id_f6ed4b9a_fk_erp_run_uuid FOREIGN KEY (run_id) REFERENCES public.erp_run(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_stockmovement
    ADD CONSTRAINT erp_stockmovement_stock_id_f641facb_fk_erp_stock_uuid FOREIGN KEY (stock_id) REFERENCES public.erp_stock(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_storefront
    ADD CONSTRAINT erp_storefront_bureau_id_5d429668_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_storefront
    ADD CONSTRAINT erp_storefront_creator_id_be78b71d_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_storefront_materials
    ADD CONSTRAINT erp_storefront_mater_material_id_b6c0049a_fk_erp_mater FOREIGN KEY (material_id) REFERENCES public.erp_material(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_storefront_materials
    ADD CONSTRAINT erp_storefront_mater_storefront_id_7acca2a9_fk_erp_store FOREIGN KEY (storefront_id) REFERENCES public.erp_storefront(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_storefront_post_processor_types
    ADD CONSTRAINT erp_storefront_post__postprocessortype_id_87ab25e6_fk_erp_postp FOREIGN KEY (postprocessortype_id) REFERENCES public.erp_postprocessortype(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_storefront_post_processor_types
    ADD CONSTRAINT erp_storefront_post__storefront_id_7d4cfe54_fk_erp_store FOREIGN KEY (storefront_id) REFERENCES public.erp_storefront(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_storefront
    ADD CONSTRAINT erp_storefront_price_list_id_6711beeb_fk_erp_pricelist_uuid FOREIGN KEY (price_list_id) REFERENCES public.erp_pricelist(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_taxrule
    ADD CONSTRAINT erp_taxrule_bureau_id_9816d388_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_thirdparty
    ADD CONSTRAINT erp_thirdparty_bureau_id_cb14c366_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_timelapse
    ADD CONSTRAINT erp_timelapse_attempt_id_2d83fde1_fk_erp_attempt_uuid FOREIGN KEY (attempt_id) REFERENCES public.erp_attempt(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_timelapse
    ADD CONSTRAINT erp_timelapse_content_id_6f39238a_fk_core_blob_sha256 FOREIGN KEY (content_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_workflow
    ADD CONSTRAINT erp_workflow_bureau_id_063ddb1f_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.erp_workingcalendar
    ADD CONSTRAINT erp_workingcalendar_bureau_id_e3222476_fk_erp_bureau_uuid FOREIGN KEY (bureau_id) REFERENCES public.erp_bureau(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.integrations_operation
    ADD CONSTRAINT integrations_operati_service_id_2357949e_fk_integrati FOREIGN KEY (service_id) REFERENCES public.integrations_service(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.integrations_operation
    ADD CONSTRAINT integrations_operation_owner_id_31346947_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.integrations_operation
    ADD CONSTRAINT integrations_operation_upload_id_885eb826_fk_core_blob_sha256 FOREIGN KEY (upload_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.integrations_service
    ADD CONSTRAINT integrations_service_creator_id_68723b6a_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.payment_charge
    ADD CONSTRAINT payment_charge_corrects_id_a08b14d3_fk_payment_charge_uuid FOREIGN KEY (corrects_id) REFERENCES public.payment_charge(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.payment_charge
    ADD CONSTRAINT payment_charge_invoice_id_27d4321b_fk_payment_invoice_uuid FOREIGN KEY (invoice_id) REFERENCES public.payment_invoice(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.payment_charge
    ADD CONSTRAINT payment_charge_owner_id_005ef5d0_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.payment_consent
    ADD CONSTRAINT payment_consent_owner_id_e37bd6b9_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.payment_invoice
    ADD CONSTRAINT payment_invoice_owner_id_e3c993c9_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.payment_invoiceevent
    ADD CONSTRAINT payment_invoiceevent_actor_id_246e221a_fk_users_user_uuid FOREIGN KEY (actor_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.payment_invoiceevent
    ADD CONSTRAINT payment_invoiceevent_invoice_id_017ec23b_fk_payment_i FOREIGN KEY (invoice_id) REFERENCES public.payment_invoice(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.payment_payment
    ADD CONSTRAINT payment_payment_invoice_id_fe538829_fk_payment_invoice_uuid FOREIGN KEY (invoice_id) REFERENCES public.payment_invoice(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.payment_paymentmethod
    ADD CONSTRAINT payment_paymentmethod_owner_id_477a472c_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.payment_paymentstatus
    ADD CONSTRAINT payment_paymentstatus_owner_id_de13819f_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.payment_paymentstatus
    ADD CONSTRAINT payment_paymentstatus_price_id_3ab90d97_fk_payment_price_uuid FOREIGN KEY (price_id) REFERENCES public.payment_price(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.sales_customeraccount
    ADD CONSTRAINT sales_customeraccount_user_id_b066eccd_fk_users_user_uuid FOREIGN KEY (user_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.sales_visit
    ADD CONSTRAINT sales_visit_account_id_a9939465_fk_sales_customeraccount_uuid FOREIGN KEY (account_id) REFERENCES public.sales_customeraccount(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.sales_visit
    ADD CONSTRAINT sales_visit_guest_id_8595c7c6_fk_users_user_uuid FOREIGN KEY (guest_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.search_indexedmodel
    ADD CONSTRAINT search_indexedmodel_owner_id_7b5a7521_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_association
    ADD CONSTRAINT slicing_association_constraint_id_97b469a6_fk_slicing_c FOREIGN KEY (constraint_id) REFERENCES public.slicing_constraint(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_association
    ADD CONSTRAINT slicing_association_owner_id_455a3746_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_config
    ADD CONSTRAINT slicing_config_agent_engine_id_dfa5f280_fk_slicing_a FOREIGN KEY (agent_engine_id) REFERENCES public.slicing_agentengine(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_config
    ADD CONSTRAINT slicing_config_content_id_3abdf571_fk_core_blob_sha256 FOREIGN KEY (content_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_config
    ADD CONSTRAINT slicing_config_owner_id_78342347_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_constraint
    ADD CONSTRAINT slicing_constraint_owner_id_9e552e82_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_enginejob
    ADD CONSTRAINT slicing_enginejob_content_id_d12f4c95_fk_core_blob_sha256 FOREIGN KEY (content_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_enginejob
    ADD CONSTRAINT slicing_enginejob_engine_id_89a6a9c1_fk_slicing_a FOREIGN KEY (engine_id) REFERENCES public.slicing_agentengine(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_enginejob
    ADD CONSTRAINT slicing_enginejob_slice_id_60c6481c_fk_slicing_slice_uuid FOREIGN KEY (slice_id) REFERENCES public.slicing_slice(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_enginejobfile
    ADD CONSTRAINT slicing_enginejobfile_content_id_74a76c88_fk_core_blob_sha256 FOREIGN KEY (content_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_enginejobfile
    ADD CONSTRAINT slicing_enginejobfile_job_id_a152d8f8_fk_slicing_enginejob_uuid FOREIGN KEY (job_id) REFERENCES public.slicing_enginejob(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_gcode
    ADD CONSTRAINT slicing_gcode_content_id_4d249d59_fk_core_blob_sha256 FOREIGN KEY (content_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_gcode
    ADD CONSTRAINT slicing_gcode_first_plate_id_31c46e39_fk_slicing_gcode_uuid FOREIGN KEY (first_plate_id) REFERENCES public.slicing_gcode(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_gcode
    ADD CONSTRAINT slicing_gcode_layers_id_fff3d2e6_fk_core_blob_sha256 FOREIGN KEY (layers_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_gcode
    ADD CONSTRAINT slicing_gcode_owner_id_211ed875_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_gcode
    ADD CONSTRAINT slicing_gcode_text_id_6f6b0cfc_fk_core_blob_sha256 FOREIGN KEY (text_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_layerpaths
    ADD CONSTRAINT slicing_layerpaths_content_id_0c30d832_fk_core_blob_sha256 FOREIGN KEY (content_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_layerpaths
    ADD CONSTRAINT slicing_layerpaths_layers_id_ed872720_fk_core_blob_sha256 FOREIGN KEY (layers_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_layerpaths
    ADD CONSTRAINT slicing_layerpaths_source_id_b9e259b1_fk_core_blob_sha256 FOREIGN KEY (source_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_printergcode
    ADD CONSTRAINT slicing_printergcode_owner_id_fa863e80_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_slice
    ADD CONSTRAINT slicing_slice_config_id_bd24ba86_fk_slicing_config_uuid FOREIGN KEY (config_id) REFERENCES public.slicing_config(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_slice
    ADD CONSTRAINT slicing_slice_content_id_df9bb2b4_fk_core_blob_sha256 FOREIGN KEY (content_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_slice
    ADD CONSTRAINT slicing_slice_layers_id_0a25a3d4_fk_core_blob_sha256 FOREIGN KEY (layers_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.slicing_slice
    ADD CONSTRAINT slicing_slice_owner_id_e8882bf1_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_apitoken
    ADD CONSTRAINT users_apitoken_user_id_1feb0204_fk_users_user_uuid FOREIGN KEY (user_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_auditevent
    ADD CONSTRAINT users_auditevent_actor_id_90aa388b_fk_users_user_uuid FOREIGN KEY (actor_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_group
    ADD CONSTRAINT users_group_creator_id_db13f286_fk_users_user_uuid FOREIGN KEY (creator_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_login
    ADD CONSTRAINT users_login_session_id_2a31d4cf_fk_django_session_session_key FOREIGN KEY (session_id) REFERENCES public.django_session(session_key) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_login
    ADD CONSTRAINT users_login_user_id_abfd19ae_fk_users_user_uuid FOREIGN KEY (user_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_membership
    ADD CONSTRAINT users_membership_created_by_id_c4363e31_fk_users_user_uuid FOREIGN KEY (created_by_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_membership
    ADD CONSTRAINT users_membership_group_id_0dd887fc_fk_users_group_uuid FOREIGN KEY (group_id) REFERENCES public.users_group(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_membership
    ADD CONSTRAINT users_membership_user_id_4e97941d_fk_users_user_uuid FOREIGN KEY (user_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_notification
    ADD CONSTRAINT users_notification_recipient_id_0ae2cf8f_fk_users_user_uuid FOREIGN KEY (recipient_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_permission
    ADD CONSTRAINT users_permission_created_by_id_e9638a3a_fk_users_user_uuid FOREIGN KEY (created_by_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_permission
    ADD CONSTRAINT users_permission_object_owner_id_955126d4_fk_users_user_uuid FOREIGN KEY (object_owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_recoverycode
    ADD CONSTRAINT users_recoverycode_factor_id_71ff789d_fk_users_sec FOREIGN KEY (factor_id) REFERENCES public.users_secondfactor(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_savedview
    ADD CONSTRAINT users_savedview_user_id_fbe4330d_fk_users_user_uuid FOREIGN KEY (user_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_secondfactor
    ADD CONSTRAINT users_secondfactor_user_id_858e1df8_fk_users_user_uuid FOREIGN KEY (user_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_user_groups
    ADD CONSTRAINT users_user_groups_group_id_9afc8d0e_fk_auth_group_id FOREIGN KEY (group_id) REFERENCES public.auth_group(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_user_groups
    ADD CONSTRAINT users_user_groups_user_id_5f6f5a90_fk_users_user_uuid FOREIGN KEY (user_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_user_user_permissions
    ADD CONSTRAINT users_user_user_perm_permission_id_0b93982e_fk_auth_perm FOREIGN KEY (permission_id) REFERENCES public.auth_permission(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.users_user_user_permissions
    ADD CONSTRAINT users_user_user_permissions_user_id_20aca447_fk_users_user_uuid FOREIGN KEY (user_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_label
    ADD CONSTRAINT warehouse_label_model_id_5c4a5056_fk_warehouse_model_uuid FOREIGN KEY (model_id) REFERENCES public.warehouse_model(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_label
    ADD CONSTRAINT warehouse_label_owner_id_4f93865a_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_model
    ADD CONSTRAINT warehouse_model_canonical_id_4c322d1b_fk_core_blob_sha256 FOREIGN KEY (canonical_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_model
    ADD CONSTRAINT warehouse_model_content_id_aaae99c9_fk_core_blob_sha256 FOREIGN KEY (content_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_model
    ADD CONSTRAINT warehouse_model_owner_id_091077af_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_model_parents
    ADD CONSTRAINT warehouse_model_pare_from_model_id_a242f09f_fk_warehouse FOREIGN KEY (from_model_id) REFERENCES public.warehouse_model(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_model_parents
    ADD CONSTRAINT warehouse_model_pare_to_model_id_35bd0204_fk_warehouse FOREIGN KEY (to_model_id) REFERENCES public.warehouse_model(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_model
    ADD CONSTRAINT warehouse_model_picture_id_a0b2fa92_fk_core_blob_sha256 FOREIGN KEY (picture_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_model
    ADD CONSTRAINT warehouse_model_small_picture_id_eabcd71b_fk_core_blob_sha256 FOREIGN KEY (small_picture_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_modelversion
    ADD CONSTRAINT warehouse_modelversi_model_id_5c8c1ada_fk_warehouse FOREIGN KEY (model_id) REFERENCES public.warehouse_model(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_modelversion
    ADD CONSTRAINT warehouse_modelversion_owner_id_a8807552_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_rendition
    ADD CONSTRAINT warehouse_rendition_content_id_3f34ce9a_fk_core_blob_sha256 FOREIGN KEY (content_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_rendition
    ADD CONSTRAINT warehouse_rendition_source_id_f9239f78_fk_core_blob_sha256 FOREIGN KEY (source_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_snapshot
    ADD CONSTRAINT warehouse_snapshot_content_id_08350db4_fk_core_blob_sha256 FOREIGN KEY (content_id) REFERENCES public.core_blob(sha256) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_snapshot
    ADD CONSTRAINT warehouse_snapshot_model_id_40996dc8_fk_warehouse_model_uuid FOREIGN KEY (model_id) REFERENCES public.warehouse_model(uuid) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE ONLY public.warehouse_snapshot
    ADD CONSTRAINT warehouse_snapshot_owner_id_eb1b4604_fk_users_user_uuid FOREIGN KEY (owner_id) REFERENCES public.users_user(uuid) DEFERRABLE INITIALLY DEFERRED;
INSERT INTO public.django_migrations (app, name, applied) VALUES
('admin', '0001_initial', now()),
('admin', '0002_logentry_remove_auto_add', now()),
('admin', '0003_logentry_add_action_flag_choices', now()),
('auth', '0001_initial', now()),
('auth', '0002_alter_permission_name_max_length', now()),
('auth', '0003_alter_user_email_max_length', now()),
('auth', '0004_alter_user_username_opts', now()),
('auth', '0005_alter_user_last_login_null', now()),
('auth', '0006_require_contenttypes_0002', now()),
('auth', '0007_alter_validators_add_error_messages', now()),
('auth', '0008_alter_user_username_max_length', now()),
('auth', '0009_alter_user_last_name_max_length', now()),
('auth', '0010_alter_group_name_max_length', now()),
('auth', '0011_update_proxy_permissions', now()),
('auth', '0012_alter_user_first_name_max_length', now()),
('callbacks', '0001_initial', now()),
('callbacks', '0002_bureaus', now()),
('callbacks', '0003_given', now()),
('callbacks', '0004_subscriptions_of_bureaus', now()),
('contenttypes', '0001_initial', now()),
('contenttypes', '0002_remove_content_type_name', now()),
('core', '0001_initial', now()),
('core', '0002_turns', now()),
('core', '0003_usage', now()),
('core', '0004_pace', now()),
('core', '0005_faults', now()),
('core', '0006_remote_files', now()),
('core', '0007_fleet', now()),
('core', '0008_newcomers', now()),
('core', '0009_unused_files', now()),
('core', '0010_model_names', now()),
('core', '0011_worker_clock', now()),
('core', '0012_usage_of_columns', now()),
('dramatiq_postgres', '0001_initial', now()),
('erp', '0001_initial', now()),
('erp', '0002_people', now()),
('erp', '0003_bed_outline', now()),
('erp', '0004_vat_confirmed', now()),
('erp', '0005_attempts', now()),
('erp', '0006_agents', now()),
('erp', '0007_actuals', now()),
('erp', '0008_lots', now()),
('erp', '0009_agents_watched', now()),
('erp', '0010_skipped', now()),
('erp', '0011_session', now()),
('erp', '0012_spoolman', now()),
('erp', '0013_composed_names', now()),
('erp', '0014_print_options', now()),
('erp', '0015_price_list_options', now()),
('erp', '0016_order_numbers', now()),
('erp', '0017_figures', now()),
('erp', '0018_invitations', now()),
('erp', '0019_order_of_work', now()),
('erp', '0020_brands', now()),
('erp', '0021_pending_price_tables', now()),
('erp', '0022_storefronts', now()),
('erp', '0023_moonraker', now()),
('erp', '0024_share_links', now()),
('erp', '0025_messages', now()),
('erp', '0026_staff_notifications', now()),
('erp', '0027_reorder_points', now()),
('erp', '0028_prusalink', now()),
('erp', '0029_storefront_print_options', now()),
('erp', '0030_payments', now()),
('erp', '0031_print_reports', now()),
('erp', '0032_card_payments', now()),
('erp', '0033_connections', now()),
('erp', '0034_watched_printers', now()),
('erp', '0035_attempt_readings', now()),
('erp', '0036_storefront_origins', now()),
('erp', '0037_documents', now()),
('erp', '0038_invoice_messages', now()),
('erp', '0039_automatic_prints', now()),
('erp', '0040_camera_pictures', now()),
('erp', '0041_electricity', now()),
('erp', '0042_printer_gcode', now()),
('erp', '0043_shipments', now()),
('erp', '0044_maintenance', now()),
('erp', '0045_gcode_runs', now()),
('erp', '0046_bambu_elegoo', now()),
('erp', '0047_prepayment', now()),
('erp', '0048_automatic_documents', now()),
('erp', '0049_customer_companies', now()),
('erp', '0050_completed_and_declined_messages', now()),
('erp', '0051_print_report_files', now()),
('erp', '0052_notification_channels', now()),
('erp', '0053_gcode_object_labels', now()),
('erp', '0054_customer_balances', now()),
('erp', '0055_timelapses', now()),
('erp', '0056_order_amounts', now()),
('erp', '0057_document_customers', now()),
('erp', '0058_printer_type_engines', now()),
('erp', '0059_slicer_key_digests', now()),
('integrations', '0001_initial', now()),
('integrations', '0002_many_models', now()),
('integrations', '0003_composed_names', now()),
('payment', '0001_initial', now()),
('payment', '0002_what_is_issued_stays', now()),
('sales', '0001_visits', now()),
('sales', '0002_carts', now()),
('sales', '0003_customer_accounts', now()),
('sales', '0004_signed_in_visits', now()),
('search', '0001_initial', now()),
('search', '0002_composed_names', now()),
('sessions', '0001_initial', now()),
('slicing', '0001_initial', now()),
('slicing', '0002_bytes', now()),
('slicing', '0003_layer_paths', now()),
('slicing', '0004_composed_names', now()),
('slicing', '0005_gcode_containers', now()),
('slicing', '0006_plural_of_layer_paths', now()),
('slicing', '0007_bytes_of_text', now()),
('slicing', '0008_printer_gcode', now()),
('slicing', '0009_gcode_metadata', now()),
('slicing', '0010_fitted_configs', now()),
('slicing', '0011_agent_engines', now()),
('users', '0001_initial', now()),
('users', '0002_audit_trail_vacuum_and_rights', now()),
('users', '0003_converted_uploads', now()),
('users', '0004_held_between', now()),
('users', '0005_composed_names', now()),
('users', '0006_guests', now()),
('users', '0007_saved_views', now()),
('users', '0008_notifications', now()),
('users', '0009_material_low', now()),
('users', '0010_print_reports', now()),
('users', '0011_maintenance_due', now()),
('users', '0012_document_not_issued', now()),
('users', '0013_approval_declined', now()),
('warehouse', '0001_initial', now()),
('warehouse', '0002_names_and_vacuum', now()),
('warehouse', '0003_preview_sizes', now()),
('warehouse', '0004_small_pictures', now()),
('warehouse', '0005_conversions', now()),
('warehouse', '0006_mesh_formats', now()),
('warehouse', '0007_pairs_of_letters', now()),
('warehouse', '0008_composed_names', now()),
('warehouse', '0009_labels', now()),
('warehouse', '0010_versions', now());
