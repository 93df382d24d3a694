"""What credentials look like: the rules, and nothing else.

A rule of text has marks, of which a text must hold one before its pattern is compiled: most texts
hold none, and a recording looks at many. (The library detect-secrets takes longer to import than a short recording takes
in all, and takes every hash for a secret: these rules are chosen for few false alarms.) The credential is the group `secret`, or all that the pattern matches.
"""

from __future__ import annotations

from rex.values import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """How one kind of credential looks.

    Attributes:
        kind: what a message calls it.
        marks: texts of which one must be there, in lower case unless is_exact.
        pattern: a regular expression.
        is_exact: the marks are in the case that they must have, and stand in 15 or more characters in a row that keys are made of.
        is_password: people choose it, so that templates and words of documentation are none.
    """

    kind: str
    marks: tuple[str, ...]
    pattern: str
    is_password: bool = False
    is_exact: bool = False


_NO_WORD_BEFORE, _NO_WORD_AFTER = r"(?<![A-Za-z0-9_])", r"(?![A-Za-z0-9_])"


def _key(kind: str, prefixes: str, rest: str) -> Rule:
    """A key of a service: one of these prefixes (split at blanks), and what follows it."""
    words = tuple(prefixes.split())
    alternatives = "|".join(word.replace(".", r"\.") for word in words)
    return Rule(kind, words, f"{_NO_WORD_BEFORE}(?:{alternatives}){rest}{_NO_WORD_AFTER}", is_exact=True)


_PRIVATE_KEY = (r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
                r"(?:\\[rn]|\s|[A-Za-z-]+: [^\n]*\n)*[A-Za-z0-9+/=]{16}[^-]*(?:-----END [A-Z0-9 ]+-----)?")

_OF_A_CONNECTION = r"(?:server|data source|host|hostaddr|addr(?:ess)?|user(?: ?id|name)?|uid|database|dbname|initial catalog|driver|endpoint)"

RULES = (
    Rule("a private key", ("private key",), _PRIVATE_KEY),
    Rule("a private key", ("putty-user-key-file",), r"PuTTY-User-Key-File-\d+: [^\n]+"),
    _key("a private key", "AGE-SECRET-KEY-1", "[A-Z0-9]{50,}"),
    # Passwords in URLs and connection strings.
    Rule("a password in a URL", ("://",), r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s/?#\"'<>@:]{0,300}:(?P<secret>[^\s/?#\"'<>]{1,500})@[^\s/@\"']", True),
    Rule("a token in a URL", ("://",), r"://(?P<secret>(?=[^@/]*\d)[A-Za-z0-9_\-]{20,})@[^\s/@\"']"),
    Rule("a token in a URL", ("token=", "key=", "secret=", "sig=", "signature=", "password=", "passwd=", "pwd=", "auth="),
         r"(?i)[?&](?:[\w-]*(?:token|api_?key|secret|password|passwd|pwd|auth)|key|sig|[\w-]*signature)=(?P<secret>[^\s&#\"'<>]{6,})", True),
    # Of one line: in code the arguments of a call stand beside each other, too, but with commas.
    Rule("a connection string", ("password", "pwd"),
         rf"(?i)\b{_OF_A_CONNECTION}[ \t]{{0,9}}=[^\n=,]{{0,200}}[; \t](?:[^\n,]{{0,200}}[; \t])?(?:password|pwd)[ \t]{{0,9}}=[ \t]{{0,9}}(?P<secret>[^;\s\"',]{{1,200}})(?!,)", True),
    Rule("a connection string", ("password", "pwd"),
         rf"(?i)(?<![A-Za-z0-9_.])(?:password|pwd)[ \t]{{0,9}}=[ \t]{{0,9}}(?P<secret>[^;\s\"',]{{1,200}})[; \t](?:[^\n,]{{0,200}}[; \t])?{_OF_A_CONNECTION}[ \t]{{0,9}}=", True),
    Rule("a connection string", ("accountkey=", "sharedaccesskey=", "sharedsecret="),
         r"(?i)(?:accountkey|sharedaccesskey|sharedsecret)=(?P<secret>[A-Za-z0-9+/]{16,}=*)"),
    # Headers of requests.
    Rule("a bearer token", ("bearer ",), r"(?i)\bbearer\s+(?P<secret>(?=[^\s\"']*\d)[A-Za-z0-9._~+/-]{16,}=*)"),
    Rule("a request's credential", ("authorization:", "api-key:", "-token:", "cookie:", "authorization\"", "apikey:"),
         r"(?i)(?:\b(?:proxy-)?authorization|\b[\w-]{0,60}api-?key|\b[\w-]{1,60}-token|\b(?:set-)?cookie)[\"']?\s*:\s*[\"']?"
         r"(?:(?:basic|bearer|token|digest|apikey|ssws|splunk|geniekey|apitoken|bot)\s+|[\w.-]+=)?(?P<secret>[^\s\"';,]{8,})", True),
    Rule("a setting in JSON", ("password\"", "passwd\"", "secret\"", "token\"", "api_key\"", "apikey\"", "api-key\""),
         r"(?i)\"[\w-]*(?:password|passwd|secret|token|api[_-]?key)\"\s*:\s*\"(?P<secret>(?=[^\"]*\d)(?=[^\"]*[a-z])[^\"\s]{6,})\"", True),
    Rule("a setting in XML", ("password>", "passwd>", "secret>", "token>", "apikey>"),
         r"(?i)<(?:\w+:)?[\w.-]*(?:password|passwd|secret|token|apikey)>(?P<secret>(?=[^<]*\d)(?=[^<]*[a-z])[^<\s]{6,})</", True),
    Rule("a client's key", ("client-key-data:",), r"client-key-data:\s*(?P<secret>[A-Za-z0-9+/=]{40,})"),
    Rule("a Kaggle key", ("\"key\"",), r"(?i)\"username\"\s*:\s*\"[^\"]+\"\s*,\s*\"key\"\s*:\s*\"(?P<secret>[0-9a-f]{32})\""),
    Rule("a password behind a user's name", ("curl ",), r"\bcurl\s(?:[^\n]*\s)?(?:-u|--user)[ =][\"']?[^\s:\"']+:(?P<secret>[^\s\"']{4,})", True),
    Rule("a password behind a user's name", ("jdbc:oracle:",), r"(?i)jdbc:oracle:\w+:[^\s/:@\"']+/(?P<secret>[^\s@\"']+)@", True),
    Rule("the hash of a password", (":$",), r"(?<![\w$])[\w.-]+:(?P<secret>\$(?:apr1|1|2[abxy]|5|6|y|7|argon2id?)\$[^\s:]{20,})"),
    Rule("a password for a machine", ("password",), r"\blogin\s+\S+\s+password\s+(?P<secret>\S+)", True),
    # Addresses that whoever knows them may post to.
    Rule("a webhook", ("hooks.slack",), r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9_/-]{20,})"),
    Rule("a webhook", ("/api/webhooks/",), r"discord(?:app)?\.com/api/webhooks/\d+/(?P<secret>[\w-]{20,})"),
    Rule("a webhook", ("office.com/webhook",), r"office\.com/webhookb?2?/(?P<secret>[\w@/-]{20,})"),
    Rule("a webhook", ("hooks.zapier.com",), r"hooks\.zapier\.com/hooks/catch/(?P<secret>\d+/\w+)"),
    Rule("a webhook", ("maker.ifttt.com",), r"maker\.ifttt\.com/trigger/[\w-]+/(?:json/)?with/key/(?P<secret>[\w-]{10,})"),
    Rule("a webhook", ("hook",), r"https?://[\w.:-]+/(?:[\w-]+/)*(?:web)?hooks?(?:-test)?/(?P<secret>[0-9a-f]{8}-[0-9a-f-]{27}(?![\w-]))"),
    Rule("a webhook", (".make.com/",), r"//hook\.[\w.]*make\.com/(?P<secret>[a-z0-9]{20,})"),
    Rule("a webhook", ("/hooks/",), r"https?://[\w.:-]+/hooks/(?P<secret>(?=[a-z]*\d)[a-z0-9]{26})(?![A-Za-z0-9])"),
    # Keys of services.
    _key("an AWS key", "AKIA ASIA ABIA ACCA", "[A-Z2-7]{12}[A-Z0-9]{4}"),
    _key("a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9]{30,}"),
    _key("a GitHub token", "github_pat_", "[A-Za-z0-9_]{40,}"),
    _key("a GitLab token", "glpat- glptt- gldt- glrt- glrtr- glcbt- glsoat- glft- glffct- glimt- glwt- glagent- gloas-",
         r"[\w.-]{15,}[\w-]"),
    _key("a Slack token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", "[A-Za-z0-9-]{10,}"),
    _key("a Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_ whsec_", "[A-Za-z0-9+/=]{16,}"),
    _key("a Google key", "AIza", r"[\w-]{35}"),
    _key("a Google token", "ya29.", r"[\w-]{20,}"),
    _key("a Google secret", "GOCSPX-", r"[\w-]{20,}"),
    _key("an API key", "sk- csk- gsk_ xai- pplx- nvapi- fw_ tgp_v1_ rpa_ tvly- jina_ pcsk_", r"(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}"),
    _key("a Hugging Face token", "hf_ hf_oauth_ api_org_", "(?=[A-Za-z0-9]*[A-Z])[A-Za-z0-9]{30,}"),
    _key("a PyPI token", "pypi-Ag", r"[\w-]{30,}"),
    _key("an npm token", "npm_", "[A-Za-z0-9]{36}"),
    _key("a SendGrid key", "SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    _key("a Twilio key", "SK", "[0-9a-f]{32}"),
    _key("a Mailgun key", "key-", "[0-9a-z]{32}"),
    Rule("a Mailchimp key", ("-us",), rf"{_NO_WORD_BEFORE}[0-9a-f]{{32}}-us\d{{1,2}}{_NO_WORD_AFTER}"),
    _key("a DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", "[0-9a-f]{40,}"),
    _key("a Databricks token", "dapi", r"[0-9a-f]{32}(?:-\d)?"),
    _key("a Docker token", "dckr_pat_ dckr_oat_", r"[\w-]{20,}"),
    _key("a Shopify token", "shpat_ shpca_ shppa_ shpss_", "[0-9A-Fa-f]{32}"),
    _key("a Square token", "sq0atp- sq0csp- EAAA", r"[\w-]{22,}"),
    Rule("a Telegram token", (":AA",), rf"(?<!\d)\d{{8,10}}:AA[\w-]{{33}}{_NO_WORD_AFTER}", is_exact=True),
    _key("a Vault token", "hvs. hvb. hvr.", r"[\w-]{20,}"),
    Rule("a Terraform token", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}"),
    _key("a Doppler token", "dp.pt. dp.st. dp.ct. dp.sa.", r"[\w.-]{30,}"),
    _key("a Linear key", "lin_api_ lin_oauth_", "[A-Za-z0-9]{30,}"),
    _key("a Notion token", "ntn_", "[A-Za-z0-9]{40,}"),
    _key("a Postman key", "PMAK-", "[0-9a-f]{24}-[0-9a-f]{34}"),
    _key("a Grafana token", "glsa_ glc_", r"(?=[\w+/=]*\d)[\w+/=]{28,}"),
    _key("a New Relic key", "NRAK- NRII- NRJS-", r"[\w-]{19,}"),
    _key("a Sentry token", "sntrys_ sntryu_", r"[\w+/=]{40,}"),
    Rule("a Sentry DSN", ("://",), r"https?://(?P<secret>[0-9a-f]{32})(?::[0-9a-f]{32})?@[\w.-]+/\d+"),
    _key("a Replicate token", "r8_", "(?=[A-Za-z0-9]*[A-Z])[A-Za-z0-9]{36,}"),
    _key("an Alibaba key", "LTAI", "[A-Za-z0-9]{12,24}"),
    _key("an Atlassian token", "ATATT3 ATCTT3 ATBB", r"[\w=-]{28,}"),
    Rule("an Azure secret", ("8q~", "7q~"), r"(?<![\w~.-])[\w~.]{3}[78]Q~[\w~.-]{31,34}(?![\w~.-])"),
    _key("a Heroku token", "HRKU-", r"[\w-]{30,}"),
    _key("a RubyGems key", "rubygems_", "[0-9a-f]{48}"),
    _key("a Tailscale key", "tskey-", r"[\w-]{20,}"),
    _key("a Pulumi token", "pul-", "[0-9a-f]{40}"),
    _key("a PlanetScale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.-]{30,}"),
    _key("a Supabase key", "sbp_ sb_secret_", r"(?=[\w-]*\d)[\w-]{30,}"),
    _key("a Figma token", "figd_", r"[\w-]{30,}"),
    _key("a Google key", "AQ.Ab", r"[\w-]{40,}"),
    _key("an API key", "sk_", "[0-9a-f]{48}"),
    _key("an API key", "fc-", "(?=[0-9a-f]*[a-f])(?=[0-9a-f]*[0-9])[0-9a-f]{32}"),
    _key("a Weights & Biases key", "wandb_v1_", r"\w{40,}"),
    _key("a LangSmith key", "lsv2_pt_ lsv2_sk_", "[0-9a-f]{32}_[0-9a-f]{10}"),
    _key("a Kaggle token", "KGAT_", "[0-9a-f]{32}"),
    _key("a Cloudflare token", "cfut_ cfat_ cfk_", r"[\w-]{40,}"),
    _key("a Vercel token", "vcp_ vci_ vca_ vcr_ vck_", "(?=[A-Za-z0-9]*[A-Z])(?=[A-Za-z0-9]*[0-9])[A-Za-z0-9]{24,}"),
    _key("a Netlify token", "nfp_ nfc_ nfo_ nfb_ nfu_", "[A-Za-z0-9]{36,}"),
    _key("a Fly.io token", "fm1_ fm2_ fo1_", r"[\w+/=-]{40,}"),
    _key("a Render key", "rnd_", "(?=[A-Za-z0-9]*[A-Z])[A-Za-z0-9]{28,}"),
    _key("a Neon key", "napi_", "[a-z0-9]{60,}"),
    _key("a Resend key", "re_", "[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    _key("a Brevo key", "xkeysib- xsmtpsib-", "[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    _key("a 1Password token", "ops_eyJ", r"[\w-]{100,}"),
    _key("a PostHog key", "phx_", r"\w{40,}"),
    _key("a Dynatrace token", "dt0c01. dt0s01. dt0s16.", r"[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    _key("a Sonar token", "squ_ sqp_ sqa_", "[0-9a-f]{40}"),
    _key("a Snyk token", "snyk_uat. snyk_sat.", r"[\w.-]{20,}"),
    _key("an Airtable token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _key("an Apify token", "apify_api_", "[A-Za-z0-9]{30,}"),
    _key("an Artifactory key", "AKCp cmVmdGtuO", "[A-Za-z0-9]{50,}"),
    _key("a crates.io token", "cio", "(?=[A-Za-z0-9]*[A-Z])(?=[A-Za-z0-9]*[0-9])[A-Za-z0-9]{32}"),
    _key("a Buildkite token", "bkua_", "[0-9a-f]{40}"),
    _key("a CircleCI token", "CCIPAT_ CCIPRJ_", r"\w{40,}"),
    _key("a Mapbox token", "sk.eyJ", r"[\w-]{30,}\.[\w-]{20,}"),
    _key("a Flutterwave key", "FLWSECK-", "[0-9a-f]{32}-X"),
    _key("a Shippo token", "shippo_live_ shippo_test_", "[0-9a-f]{40}"),
    _key("an EasyPost key", "EZAK EZTK", "[A-Za-z0-9]{54}"),
    _key("a Duffel token", "duffel_live_ duffel_test_", r"[\w-]{43}"),
    _key("a Frame.io token", "fio-u-", r"[\w-]{64}"),
    _key("a Typeform token", "tfp_", r"[\w-]{40,}"),
    _key("a Plaid token", "access-production- access-development- access-sandbox-", "[0-9a-f]{8}-[0-9a-f-]{27}"),
    Rule("a Braintree token", ("access_token$",), r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    _key("a Zoho token", "1000.", r"[0-9a-f]{32}\.[0-9a-f]{32}"),
    Rule("a Mailgun key", ("-",), rf"{_NO_WORD_BEFORE}[0-9a-f]{{32}}-[0-9a-f]{{8}}-[0-9a-f]{{8}}(?![\w-])", is_exact=True),
    _key("a Mandrill key", "md-", "(?=[A-Za-z]*[0-9])(?=[a-z0-9]*[A-Z])[A-Za-z0-9_-]{22}"),
    _key("a Honeycomb key", "hcaik_ hcalk_", "[a-z0-9]{50,}"),
    Rule("a New Relic key", ("NRAL",), rf"{_NO_WORD_BEFORE}[0-9a-f]{{36}}(?:NRAL|FFFFNRAL){_NO_WORD_AFTER}", is_exact=True),
    _key("a Vercel token", "vercel_blob_rw_", r"\w{30,}"),
    _key("an Infisical token", "st.", r"[0-9a-f]{24}\.[0-9a-f]{28,}\.[0-9a-f]{28,}"),
    _key("a Bitwarden token", "0.", r"[0-9a-f]{8}-[0-9a-f-]{27}\.[A-Za-z0-9]{28,}:[A-Za-z0-9+/=]{20,}"),
    _key("a NuGet key", "oy2", "[a-z0-9]{43}"),
    _key("a Clojars token", "CLOJARS_", "[0-9a-f]{60}"),
    _key("an ntfy token", "tk_", "(?=[a-z]*[0-9])[a-z0-9]{29}"),
    _key("a Notion token", "secret_", "(?=[A-Za-z]*[0-9])(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{43}"),
    _key("a ClickUp token", "pk_", "[0-9]{6,10}_[A-Z0-9]{32}"),
    _key("a Dropbox token", "sl.", r"(?=[\w-]*\d)[\w-]{120,}"),
    _key("a dbt token", "dbtc_ dbtu_", r"[\w=-]{36,}"),
    _key("a Weights & Biases key", "local-", "[0-9a-f]{40}"),
    _key("a Voyage key", "pa-", r"(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{43}"),
    _key("a Lob key", "live_ test_", "[0-9a-f]{35}"),
    Rule("a Twitter token", ("AAAAAAAAAAAAAAAAAAAAA",), rf"{_NO_WORD_BEFORE}A{{21}}(?=[A-Za-z0-9]*%)[A-Za-z0-9%]{{60,}}", is_exact=True),
    Rule("a Facebook token", ("EAA",), rf"{_NO_WORD_BEFORE}EAA[B-Za-z](?=[A-Za-z]*\d)[A-Za-z0-9]{{80,}}{_NO_WORD_AFTER}", is_exact=True),
    Rule("an Azure key", ("+AS", "+AEh", "+ARm", "+ACR", "AIoT", "APIM", "AzFu", "AzSe", "ACDb", "AzCa", "ABac", "AZDO"),
         r"(?<![A-Za-z0-9+/])(?:[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}|[A-Za-z0-9+/]{33,76}(?:\+AS[tb]|\+AEh|\+ARm|\+ACR|AIoT|APIM|AzFu|AzSe|ACDb|AzCa|ABac)[A-Za-z0-9+/]{5,6}={0,2})"
         r"(?![A-Za-z0-9+/=])", is_exact=True),
    _key("an OpenShift token", "sha256~", r"[\w-]{43}"),
    _key("a Prefect key", "pnu_ pnb_", "[A-Za-z0-9]{36}"),
    _key("a Contentful token", "CFPAT-", r"[\w-]{40,}"),
    Rule("a Discord token", (".G",), rf"{_NO_WORD_BEFORE}[MNO][A-Za-z\d_-]{{23,25}}\.G[\w-]{{5}}\.[\w-]{{27,38}}{_NO_WORD_AFTER}", is_exact=True),
    Rule("a JSON web token", ("eyJ",), rf"{_NO_WORD_BEFORE}eyJ[\w-]{{8,}}\.eyJ[\w-]{{8,}}\.[\w-]{{8,}}", is_exact=True),
)

# Names of variables, options and settings, in words: DB_PASSWORD, --api-key and clientSecret are DB PASSWORD, API KEY, CLIENT SECRET.
# A word that ends so names a credential, whatever the value.
STRONG_ENDS = ("CREDS", "AUTHKEY", "USERPWD", "BINDPW", "ROOTPW", "ADMINPW", "USERPW", "DBPW", "PASSWORD", "PASSWORDS", "PASSWD", "PASSPHRASE", "PASSCODE", "SECRET", "SECRETS", "TOKEN", "APIKEY", "CREDENTIAL",
               "CREDENTIALS", "SECRETKEY", "PRIVATEKEY", "ACCESSKEY", "AUTHTOKEN")
STRONG_LAST = ("PW", "PWD")             # as the last of several words
# A word that ends so names one, unless the value is plainly none.
WEAK_ENDS = ("JWT", "BEARER", "MNEMONIC", "PASS", "AUTH", "AUTHORIZATION", "COOKIE", "COOKIES", "DSN", "TOKENS")
WEAK_LAST = ("KEY",)                    # as the last of several words
NO_ENDS = ("BYPASS", "COMPASS", "TRESPASS", "SURPASS", "ENCOMPASS", "UNDERPASS", "OVERPASS", "MULTIPASS", "ASKPASS", "UNAUTH")
# Keys of tables, caches and keyboards; and what is meant for everybody.
PLAIN_KEYS = ("PRIMARY", "SORT", "FOREIGN", "PUBLIC", "PARTITION", "CACHE", "GROUP", "UNIQUE", "INDEX", "HOT", "FUNCTION", "LOOKUP", "PUB",
              "JOIN", "MENU", "META", "COMPOSE", "ROW", "HASH", "RANGE", "ARROW", "ESCAPE", "PRESS", "ANY", "ORDER", "DEDUP", "ROUTING")
# Behind any of the above these say that something else is meant.
OTHER_LAST = ("FILE", "FILES", "PATH", "DIR", "DIRECTORY", "FOLDER", "SOCK", "SOCKET", "HOME", "BIN", "CMD", "COMMAND", "PROGRAM", "HELPER",
              "URL", "URI", "ENDPOINT", "ADDR", "ADDRESS", "TYPE", "METHOD", "MODE", "ENABLED", "ENABLE", "DISABLED", "DISABLE", "REQUIRED",
              "TIMEOUT", "TTL", "EXPIRY", "EXPIRES", "EXPIRATION", "LIFETIME", "AGE", "NAME", "NAMES", "COUNT", "LENGTH", "LEN", "SIZE", "LIMIT",
              "MAX", "MIN", "DOMAIN", "HOST", "PORT", "USER", "USERNAME", "VERSION", "FORMAT", "ALGORITHM", "ALG", "ISSUER", "AUDIENCE",
              "POLICY", "PREFIX", "SUFFIX", "SAMESITE", "SECURE", "HTTPONLY", "PARALLELISM", "PROVIDER", "BACKEND", "PLUGIN", "CLASS", "STORE",
              "MANAGER", "HEADER", "SCOPE", "SCOPES", "LEVEL", "RATE", "TOTAL", "STATUS", "RESULT", "PROMPT", "SERVER", "SERVICE", "REGION",
              "ARN", "ENV", "PARAM", "COLUMN", "FIELD", "ROTATION", "HASHER", "JAR", "CONSENT", "THROUGH", "THRU", "LABEL", "PROTOCOL", "ROLE", "ENCRYPTION")
PLAIN_VALUES = ("", "true", "false", "yes", "no", "on", "off", "none", "null", "nil", "0", "1")
# Of weak names these too: how somebody logs in is no credential.
PLAIN_WEAK_VALUES = ("default", "auto", "enabled", "disabled", "basic", "digest", "oauth", "oauth2", "kerberos", "ldap", "saml", "jwt", "bearer",
                     "negotiate", "ntlm", "gssapi", "trust", "md5", "scram-sha-256", "peer", "ident", "cert", "plain", "login", "cram-md5",
                     "xoauth2", "token", "password", "required", "optional", "always", "never", "any", "all", "session", "strict", "lax")
# Options whose value is USER:PASSWORD.
USER_OPTIONS = ("-u", "--user", "--proxy-user", "--auth", "--creds", "--http-user", "--basic-auth", "--userpwd")

# Programs with an option -p for a password: -pPASSWORD, of sshpass also -p PASSWORD.
PASSWORD_PROGRAMS = ("sshpass", "mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlcheck", "mariadb", "mariadb-dump", "mariadb-admin")
STARTERS = ("env", "exec", "nice", "nohup", "sudo", "time", "--")

# Values that stand for a password in a template, in code, or after a redaction.
TEMPLATE = (r"\$.*|.*(?:\$\{|\$\(|\{\{|%\(|%s|\(|\)|\[|\]).*|<.*>|\{.*\}|%\w+%|(.)\1{3,}|[*x.]{3,}|x{3,}-.*|(?:REDACTED)+R?E?D?A?C?T?E?D?")
# And in documentation, where a value is nobody's.
EXAMPLE = (r"(?i)(?:my|your|the|a|some|new|old|test|db|user|root|admin)?[-_ ]?(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|credentials?|"
           r"(?:api[-_]?)?key)\d?|your[-_ ].*|.*[-_]here|change[-_]?me.*|example.*|dummy.*|fake.*|placeholder.*|foo|bar|baz|string|str|none|null|true|false")

# Files that hold credentials, by wide custom.
KEY_FILES = (
    "*/.ssh/id_*", "*/.ssh/*_key", "*/.ssh/*.pem", "*/etc/ssh/ssh_host_*_key", "*/.aws/credentials",
    "*/.netrc", "*/_netrc", "*/.pgpass", "*/.my.cnf", "*/.git-credentials", "*/.docker/config.json",
    "*/.kube/config", "*/.pypirc", "*/.npmrc", "*/.gem/credentials", "*/.cargo/credentials*",
    "*/.config/gcloud/*credentials*", "*/.config/gh/hosts.yml", "*/.config/rclone/rclone.conf",
    "*/.azure/*tokens*", "*/.azure/msal_token_cache*", "*/.gnupg/*.gpg", "*/.gnupg/private-keys-v1.d/*",
    "*/.huggingface/token", "*/.cache/huggingface/token", "*/.kaggle/kaggle.json", "*/.vault-token",
    "*/etc/shadow", "*/etc/gshadow", "*/.env", "*.kdbx", "*.p12", "*.pfx", "*.jks")
NOT_KEY_FILES = ("*.pub", "*/known_hosts", "*.gpg~")
# Whose files are not looked into: they come with a system or a package, and hold examples.
SYSTEM_FOLDERS = ("/usr/", "/lib/", "/lib64/", "/lib32/", "/bin/", "/sbin/", "/nix/store/", "/gnu/store/", "/snap/", "/proc/", "/sys/", "/dev/",
                  "/etc/ssl/certs/", "/etc/ld.so", "/etc/alternatives/")
PACKAGE_FOLDERS = ("/site-packages/", "/dist-packages/", "/node_modules/", "/__pycache__/", "/lib/python", "/lib/R/", "/conda/pkgs/", "/.venv/lib/")
