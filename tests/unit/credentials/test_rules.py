"""The rules on a hundred credentials, which are found, and on a hundred look-alikes, which are not."""

from __future__ import annotations

import importlib
import re
import sys

import pytest

from rex.credentials import credential_variables, find_in_arguments, find_in_file
from rex.credentials.rules import RULES, Rule

# Bodies of keys that nobody has; keys are put together here, so that no scanner takes this file for a leak.
HEX, DIGITS = "0123456789abcdef" * 8, "1234567890" * 4
MIXED = "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8" * 6
CAPITALS = "QWERTZ2345UIOPAS67DFGHJK" * 3
UUID = f"{HEX[:8]}-{HEX[:4]}-4{HEX[:3]}-a{HEX[:3]}-{HEX[:12]}"
PEM = "-----BEGIN {}PRIVATE KEY-----\n" + MIXED[:64] + "\n-----END {}PRIVATE KEY-----\n"

VARIABLES = [
    # By name.
    ("MY_TOKEN", "t0ken-value"), ("GITHUB_TOKEN", "abc"), ("CLIENT_SECRET", "abc"), ("PGPASSWORD", "x"), ("MYSQL_PWD", "abc"),
    ("MYSQL_PASS", "abc"), ("SSHPASS", "abc"), ("DB_PASS", "123456"), ("ROOT_PW", "abc"), ("ADMIN_PASSWD", "abc"), ("GPG_PASSPHRASE", "four words of it"),
    ("OPENAI_API_KEY", "abc"), ("APIKEY", "abc"), ("SIGNING_KEY", "k3l2j4"), ("AWS_SECRET_ACCESS_KEY", "/k3/abc+d"), ("NPM_AUTH", "YWxhZGRpbg"),
    ("NPM_CONFIG__AUTH", "YWxhZGRpbg"), ("SESSION_COOKIE", "7f3a"), ("AUTH_COOKIE_2", "7f3a"), ("SENTRY_DSN", "https://a1@o1.example.org/5"),
    ("DATABASE_DSN", "mysql://root@db/x"), ("GOOGLE_CREDENTIALS", "{}abc"), ("PRIVATE_SSH_KEY", "abcdef"), ("dbPassword", "abc"),
    ("SECRET", "abc"), ("SECRETS", "abc"), ("SECRET_KEY_BASE", "abc"), ("KEYSTOREPASS", "abc"), ("PASSWORD2", "abc"), ("HTTP_AUTHORIZATION", "q8"),
    # By value.
    ("http_proxy", "http://me:s3cret@proxy:3128"), ("DATABASE_URL", "postgres://app:secret@db.example.org/app"), ("CACHE", "redis://:hunter2@cache:6379/0"),
    ("BROKER", "amqps://guest:guest@mq//"), ("MONGO", "mongodb+srv://u:p%40ss@c0.example.net/?w=majority"), ("PIP_INDEX_URL", "https://__tok__:abc123@pypi.example.org/simple"),
    ("REPO", "https://" + MIXED[:40] + "@git.example.org/a.git"), ("CONNECTION", "Server=db;Database=x;User Id=sa;Password=Str0ng!pw;"),
    ("PG", "host=db user=ann password=hunter2 dbname=x"), ("STORAGE", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + MIXED[:86] + "=="),
    ("BUS", "Endpoint=sb://x.example.net/;SharedAccessKeyName=k;SharedAccessKey=" + MIXED[:43] + "="), ("HEADER", "Authorization: Bearer " + MIXED[:30]),
    ("NOTIFY", "https://hooks.slack.com/" + "services/T0A1B2C3D/B0A1B2C3D/" + MIXED[:24]), ("HOOK", "https://discord.com/api/" + "webhooks/" + DIGITS[:18] + "/" + MIXED[:60]),
    ("WHERE", "https://x.webhook.office.com/" + "webhookb2/" + HEX[:36] + "@" + HEX[:36]), ("ID", "AKIA" + CAPITALS[:16]), ("CI", "ghp_" + MIXED[:36]),
    ("GL", "glpat-" + MIXED[:20]), ("BOT", "xoxb-" + DIGITS[:12] + "-" + MIXED[:24]), ("PAY", "sk_live_" + MIXED[:24]), ("MAPS", "AIza" + MIXED[:35]),
    ("LLM", "sk-" + "proj-" + MIXED[:48]), ("HUB", "hf_" + MIXED[:34]), ("UPLOAD", "pypi-AgEIcHlwaS5vcmc" + MIXED[:60]), ("PUBLISH", "npm_" + MIXED[:36]),
    ("MAIL", "SG." + MIXED[:22] + "." + MIXED[:43]), ("SMS", "SK" + HEX[:32]), ("GUN", "key-" + HEX[:32]), ("CHIMP", HEX[:32] + "-us12"), ("SEA", "dop_v1_" + HEX[:64]),
    ("BRICKS", "dapi" + HEX[:32]), ("SHOP", "shpat_" + HEX[:32]), ("CHAT", DIGITS[:10] + ":AA" + MIXED[:33]), ("VAULT", "hvs." + MIXED[:24]),
    ("JWT", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + MIXED[:43]), ("DEPLOY", PEM.format("OPENSSH ", "OPENSSH ")),
    ("NOTE", PEM.format("", "").replace("\n", "\\n")), ("FINE", "github_pat_" + MIXED[:82]), ("GRAPHS", "glsa_" + MIXED[:32] + "_" + HEX[:8]),
    ("LINK", "https://api.example.org/v1?user=ann&access_token=" + MIXED[:20]), ("A1", "sk-" + "ant-api03-" + MIXED[:93] + "AA"), ("A2", "glpat-" + MIXED[:27] + ".01." + MIXED[:9]), ("A3", "xoxc-" + DIGITS[:12] + "-" + HEX[:64]),
    ("A4", "AQ.Ab8" + MIXED[:48]), ("A5", "sk_" + HEX[:48]), ("A6", "fc-" + HEX[:32]), ("A7", "wandb_v1_" + MIXED[:70]), ("A8", "lsv2_pt_" + HEX[:32] + "_" + HEX[:10]),
    ("A9", "KGAT_" + HEX[:32]), ("B1", "cfut_" + MIXED[:40] + HEX[:8]), ("B2", "vcp_" + MIXED[:56]), ("B3", "nfp_" + MIXED[:36]), ("B4", "FlyV1 fm2_" + MIXED[:80]),
    ("B5", "rnd_" + MIXED[:28]), ("B6", "napi_" + HEX[:64]), ("B7", "re_" + MIXED[:8] + "_" + MIXED[:24]), ("B8", "xkeysib-" + HEX[:64] + "-" + MIXED[:16]),
    ("B9", "ops_eyJ" + MIXED[:150]), ("C1", "phx_" + MIXED[:43]), ("C2", "dt0c01." + CAPITALS[:24] + "." + CAPITALS[:64]), ("C3", "squ_" + HEX[:40]),
    ("C4", "pat" + MIXED[:14] + "." + HEX[:64]), ("C5", "apify_api_" + MIXED[:36]), ("C6", "AKCp8" + MIXED[:68]), ("C7", "cio" + MIXED[:32]),
    ("C8", "bkua_" + HEX[:40]), ("C9", "CCIPAT_" + MIXED[:22] + "_" + HEX[:40]), ("D1", "sk.eyJ" + MIXED[:60] + "." + MIXED[:22]), ("D2", "sha256~" + MIXED[:43]),
    ("D3", "pnu_" + MIXED[:36]), ("D4", "CFPAT-" + MIXED[:43]), ("D5", "MT" + MIXED[:24] + ".G" + MIXED[:5] + "." + MIXED[:38]), ("D6", "csk-" + MIXED[:48]),
    ("D7", "tvly-dev-" + MIXED[:32]), ("D8", "pcsk_" + MIXED[:70]), ("D9", "snyk_uat." + HEX[:8] + "." + MIXED[:60]), ("E1", "jina_" + HEX[:32] + MIXED[:28]),
    ("I1", "FLWSECK-" + HEX[:32] + "-X"), ("I2", "shippo_live_" + HEX[:40]), ("I3", "EZAK" + MIXED[:54]), ("I4", "duffel_live_" + MIXED[:43]), ("I5", "fio-u-" + MIXED[:64]),
    ("I6", "tfp_" + MIXED[:59]), ("I7", "access-production-" + UUID), ("I8", "access_token$production$" + HEX[:16] + "$" + HEX[:32]), ("I9", "1000." + HEX[:32] + "." + HEX[:32]),
    ("J1", HEX[:32] + "-" + HEX[:8] + "-" + HEX[:8]), ("J2", "md-" + MIXED[:22]), ("J3", "hcaik_" + HEX[:58]), ("J4", HEX[:36] + "NRAL"), ("J5", "vercel_blob_rw_" + MIXED[:16] + "_" + MIXED[:30]),
    ("J6", "st." + HEX[:24] + "." + HEX[:32] + "." + HEX[:32]), ("J7", "0." + UUID + "." + MIXED[:30] + ":" + MIXED[:22] + "=="), ("J8", "oy2" + HEX[:43]), ("J9", "CLOJARS_" + HEX[:60]),
    ("K1", "tk_" + HEX[:29]), ("K2", "secret_" + MIXED[:43]), ("K3", "pk_" + DIGITS[:8] + "_" + CAPITALS[:32]), ("K4", "sl." + MIXED[:135]), ("K5", "dbtc_" + MIXED[:40]),
    ("K6", "local-" + HEX[:40]), ("K7", "pa-" + MIXED[:43]), ("K8", "live_" + HEX[:35]), ("K9", "A" * 21 + MIXED[:40] + "%3D" + MIXED[:40]), ("L1", "EAAB" + MIXED[:100]),
    ("L2", MIXED[:76] + "AZDO" + MIXED[:4]), ("L3", MIXED[:33] + "+ASb" + MIXED[:6] + "="), ("L4", "Authorization: SSWS 00" + MIXED[:40]), ("L5", "jdbc:oracle:thin:scott/tiger9@//db:1521/x"),
    ("L6", "https://n8n.example.org/webhook/" + UUID), ("L7", "https://hook.eu1.make.com/" + HEX[:32]), ("MY_CREDS", "q7Zp2x"), ("TS_AUTHKEY", "q7Zp2x"), ("LDAP_BINDPW", "q7Zp2x"), ("CI_JOB_JWT", "q7Zp2x"),
    ("BLOB", "https://a.example.net/c/b?sv=2022&se=2030&sig=" + MIXED[:43] + "%3D"),
]

ARGUMENTS = [
    (["mysql", "--password=hunter2"], 1), (["x", "--password", "hunter2"], 2), (["x", "--api-key", "abc123"], 2), (["x", "--auth-token=abc123"], 1),
    (["curl", "-u", "me:s3cret", "http://x"], 2), (["curl", "--user", "me:s3cret"], 2), (["wget", "--http-password=abc"], 1), (["x", "--client-secret", "q"], 2),
    (["env", "PGPASSWORD=hunter2", "psql"], 1), (["docker", "run", "-e", "API_TOKEN=abc"], 3), (["git", "clone", "https://me:s3cret@example.org/a"], 2),
    (["curl", "-H", "Authorization: Bearer " + MIXED[:30]], 2), (["curl", "-H", "Authorization: Basic bWU6c2VjcmV0"], 2), (["curl", "-H", "PRIVATE-TOKEN: " + MIXED[:20]], 2),
    (["curl", "-b", "Cookie: session=7f3a99c1d2"], 2), (["sh", "-c", "export MY_TOKEN=abc && ./run"], 2), (["sh", "-c", "curl --password 'hunter2' x"], 2),
    (["x", "--passphrase", "four words of it"], 2), (["x", "ghp_" + MIXED[:36]], 1), (["psql", "postgresql://ann:pw@db/x"], 1),
    (["mysql", "-u", "ann", "-phunter2"], 3), (["sshpass", "-p", "hunter2", "ssh", "host"], 2), (["curl", "-d", '{"password": "hunter2"}'], 2),
    (["curl", "https://b.example.net/k?X-Amz-Date=2&X-Amz-Signature=" + HEX[:64]], 1), (["x", "HRKU-AA" + MIXED[:58]], 1),
]

FILES = [
    "DB_PASSWORD=hunter22\n", "export API_TOKEN='q8w7e6r5'\n", "password: hunter22\n", '{"clientSecret": "q8w7e6r5t4"}\n', "[s3]\nsecret_access_key = " + MIXED[:40] + "\n",
    "machine x.org login ann password q8w7e6\n", "text\n" + PEM.format("RSA ", "RSA "), "url = https://ann:q8w7e6@example.org/simple\n", "# note\nxoxp-" + DIGITS[:12] + "-" + MIXED[:20] + "\n",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n" + MIXED[:64] + "\n-----END PGP PRIVATE KEY BLOCK-----\n",
]

PLAIN_VARIABLES = [
    ("PATH", "/usr/bin:/bin"), ("HOME", "/home/ann"), ("PWD", "/home/ann"), ("OLDPWD", "/home"), ("XAUTHORITY", "/home/ann/.Xauthority"), ("SSH_AUTH_SOCK", "/tmp/ssh-1/agent.7"),
    ("GIT_AUTHOR_NAME", "Ann"), ("AUTHOR", "ann"), ("MY_PASSWORD_FILE", "/run/password"), ("PGPASSFILE", "/home/ann/.pgpass"), ("SSH_ASKPASS", "/usr/bin/ssh-askpass"),
    ("GIT_ASKPASS", "echo"), ("TOKENIZERS_PARALLELISM", "false"), ("MAX_TOKENS", "32768"), ("SORT_KEY", "name"), ("PRIMARY_KEY", "id"), ("SSH_PUBLIC_KEY", "ssh-ed25519 AAAA me"),
    ("BYPASS_CACHE", "yes"), ("COMPASS", "north"), ("PASS_COUNT", "12"), ("TWO_PASS", "1"), ("PASS_THROUGH", "abc"), ("AUTH_ENABLED", "true"), ("AUTH_METHOD", "ldap"),
    ("SMTP_AUTH", "plain"), ("OS_AUTH_URL", "https://keystone.example.org:5000/v3"), ("COOKIE_JAR", "jar"), ("SESSION_COOKIE_NAME", "sid"), ("SESSION_COOKIE_SECURE", "1"),
    ("KEYBOARD", "us"), ("KEYMAP", "de"), ("MONKEY", "abc"), ("TOKEN_TTL", "3600"), ("PASSWORD_MIN_LENGTH", "12"), ("PASSWORD_REQUIRED", "yes"), ("USE_PASSWORD", "false"),
    ("SECRET_NAME", "db"), ("SECRETARY", "Bob"), ("CREDENTIAL_HELPER", "cache"), ("PASSENGERS", "4"), ("EMPTY_TOKEN", ""), ("TLS_PRIVATE_KEY", "/etc/tls/key.pem"), ("CLIENT_KEY", "client.pem"),
    ("DESKTOP_SESSION", "gnome"), ("http_proxy", "http://proxy.example.org:3128"), ("NO_PROXY", "localhost,127.0.0.1"), ("REPO", "ssh://git@example.org/a.git"),
    ("DATABASE_URL", "postgres://app@db.example.org/app"), ("TEMPLATE", "postgres://app:${PASSWORD}@db/app"), ("URL", "https://user:<password>@example.org"),
    ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus"), ("GIT_SHA", HEX[:40]), ("DIGEST", "sha256:" + HEX[:64]), ("UUID", "123e4567-e89b-12d3-a456-426614174000"),
    ("LS_COLORS", "rs=0:di=01;34:*.key=00;90"), ("MAIL", "ann@example.org"), ("TIME", "12:30@noon"), ("SK", "sk-SK.UTF-8"), ("SKLEARN", "sk-learn-contrib-package-name"),
    ("PUB", "-----BEGIN PUBLIC KEY-----\n" + MIXED[:64]), ("CERT", "-----BEGIN CERTIFICATE-----\n" + MIXED[:64]), ("HFCACHE", "hf_transfer"), ("NPMMODE", "npm_config_cache"),
    ("SLACK", "https://example.slack.com/archives/C0A1B2C3D"), ("STRIPE", "sk_live_" + "x" * 24), ("F1", "re_compile_the_whole_package_again_now"), ("F2", "patches.0123456789abcdef"), ("F3", "patch-0123456789abcdef0123456789abcdef01234567.diff"), ("F4", "squ_are_roots"),
    ("F5", "fc-list : family style"), ("F6", "fc-" + DIGITS[:32]), ("F7", "cio_channel_reports_and_more_of_the_rest"), ("F8", "rnd_seed_for_the_whole_experiment_2026"),
    ("F9", "sha256:" + HEX[:43]), ("G1", "wandb_v1_offline"), ("G2", "sk_learn_ensemble_RandomForestClassifier"), ("G3", "phx_deploy"), ("G4", "napi_get_buffer_info"),
    ("G5", "nfc_reader_driver_for_linux_kernel_modules"), ("G6", "sk.estimators.ensemble"), ("G7", "MODEL.GPT.large"), ("G8", "cioWriterBase"), ("G9", "vcr_cassettes_directory_of_tests"),
    ("I1", "local-" + "storage-of-the-browser"), ("I2", "access-production-database-from-the-office"), ("I3", "pa-system-of-the-lecture-hall-in-the-old-building"), ("I4", "live_stream_of_the_conference"),
    ("I5", "secret_santa_list_of_the_whole_institute_in_2026"), ("I6", "1000.5"), ("I7", UUID), ("I8", "https://docs.example.org/en/webhooks/webhook-events-and-payloads-2"), ("I9", "sl.exe of a steam locomotive"),
    ("J1", "md-" + "tables-and-lists-2026"), ("J2", "tk_" + "inter_window_geometry"), ("J3", "pk_" + "user_id_of_the_table"), ("J4", "EAAR_2026 " * 9), ("J5", "AzSearch and APIM and AIoT"), ("J6", "st.session_state.value"),
    ("USE_JWT", "true"), ("J7", HEX[:32] + "-" + HEX[:8]), ("J8", "A" * 120), ("J9", "jdbc:oracle:thin:@//db:1521/x"), ("K1", "duffel_live_show"), ("K2", "Authorization: the management decides"),
    ("H1", "jina_embeddings_v3_base"), ("H2", "csk-tokenizer-small"), ("H3", "fm2_synthesizer_sound_bank_of_the_eighties"), ("NOTE", "bearer of bad news about the project"),
]

PLAIN_ARGUMENTS = [
    ["mkdir", "-p", "a/b"], ["docker", "run", "--user", "1000:1000", "x"], ["chown", "ann:staff", "f"], ["x", "--password-file", "f"], ["x", "--token-type", "bearer"],
    ["x", "--max-tokens", "512"], ["sort", "--key", "2"], ["x", "--key", "name"], ["x", "--sort-key=name"], ["curl", "--cookie-jar", "jar.txt"], ["x", "--no-auth"], ["x", "--auth", "basic"],
    ["ansible", "--private-key", "id.pem"], ["x", "--passes", "3"], ["gcc", "-pthread", "a.c"], ["x", "--pass=2"], ["python", "-c", "password = getpass()"], ["sh", "-c", "x --token $TOKEN"],
    ["sh", "-c", "x --password ${PW:-none}"], ["x", "--password"], ["x", "--password", "--user", "me"], ["git", "clone", "git@example.org:a/b"], ["scp", "f", "me@host:f"], ["sort", "-u", "a:b"][:2],
    ["find", "/var/lib/mysql", "-path", "a1", "-print"], ["mysql", "-p", "shop"], ["curl", "-d", '{"password": "$PW1234"}'],
]

PLAIN_FILES = [
    "password = getpass.getpass()\n", "token = os.environ['TOKEN']\n", "see https://user:password@example.org/ for the form\n", "PASSWORD=changeme\n", "API_KEY=your-api-key-here\n",
    "if line.startswith('-----BEGIN RSA PRIVATE KEY-----'):\n", "secret: ${SECRET}\n", "the password is sent as it is\n", "author: ann\nkeywords: token, secret\n", "tokens: 512\n",
    "<password>Passwort</password>\n", "<token>number</token>\n", "curl -u user:password https://example.org/\n", "client-key-data: DATA+OMITTED\n",
    '{"pad_token": "<pad_1>", "password": "Passwort", "secret": "your-secret1"}\n',
]


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.is_exact], ids=lambda rule: rule.kind)
def test_keys_are_long_and_of_few_characters(rule: Rule) -> None:
    """Marks of keys are looked for in long words only."""
    parser = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
    assert parser.parse(rule.pattern).getwidth()[0] >= 15
    assert all(re.fullmatch(r"[\w.~+/=%:-]+", mark) for mark in rule.marks)


def test_there_are_a_hundred_of_each() -> None:
    assert len(VARIABLES) + len(ARGUMENTS) + len(FILES) >= 100
    assert len(PLAIN_VARIABLES) + len(PLAIN_ARGUMENTS) + len(PLAIN_FILES) >= 100


@pytest.mark.parametrize("name, value", VARIABLES)
def test_credentials_in_variables_are_found(name: str, value: str) -> None:
    assert list(credential_variables({"HOME": "/home/ann", name: value})) == [name]


@pytest.mark.parametrize("name, value", PLAIN_VARIABLES)
def test_other_variables_are_left_alone(name: str, value: str) -> None:
    assert credential_variables({name: value}) == {}


@pytest.mark.parametrize("words, index", ARGUMENTS)
def test_credentials_in_arguments_are_found(words: list[str], index: int) -> None:
    assert {each.index for each in find_in_arguments(words)} == {index}


@pytest.mark.parametrize("words", PLAIN_ARGUMENTS)
def test_other_arguments_are_left_alone(words: list[str]) -> None:
    assert find_in_arguments(words) == []


@pytest.mark.parametrize("text", FILES)
def test_credentials_in_files_are_found(text: str) -> None:
    assert len(find_in_file(text)) == 1


@pytest.mark.parametrize("text", PLAIN_FILES)
def test_other_files_are_left_alone(text: str) -> None:
    assert find_in_file(text) == []
