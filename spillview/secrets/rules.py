"""What credentials look like: data, most of it after gitleaks (see LICENSE.gitleaks).

A rule is tried only where one of its literals stands, so that a scan costs one fast
search for each literal. Patterns never look further than `spans.REACH` bytes and have
no nested repetition without a fixed separator, so that each try is linear.

It is one table, however long it gets: its order tells which of two rules has a text
that both match, and a new kind has one place to go.
"""

from __future__ import annotations

from spillview.named import NamedTuple


class Rule(NamedTuple):
    """One kind of credential."""

    name: str
    """Short and stable: it stands in `[REDACTED:name#1]` and in JSON."""
    words: str
    """For people: `AWS access key`."""
    literals: tuple[bytes, ...]
    """One of them is in every match; `pattern` is tried there."""
    pattern: bytes
    """The group `secret`, where there is one, is the credential; else all of it."""
    back: int = 0
    """Bytes before the literal at which the pattern is tried."""
    entropy: float = 0.0
    """Bits a byte that the credential has at least."""
    folded: bool = False
    """Whether the literals are found in any case."""
    check: str = ""
    """`value` and `password` refuse what only looks like one: see `plausible`."""

    @property
    def generic(self) -> bool:
        """Whether it knows a credential by what stands beside it alone."""
        return bool(self.check)


_LEFT = rb"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=[0-9\[]m))"
"""No longer word ends here, but an escape in JSON, or a colour."""
_RIGHT = rb"(?![A-Za-z0-9_-])"
_B64 = rb"(?![A-Za-z0-9+/=_-])"


def _token(
    name: str,
    words: str,
    literal: bytes | tuple[bytes, ...],
    rest: bytes,
    *,
    entropy: float = 2.0,
    right: bytes = _RIGHT,
    left: bytes = _LEFT,
) -> Rule:
    """A token that begins with its literal."""
    literals = (literal,) if isinstance(literal, bytes) else literal
    escaped = b"|".join(each.replace(b".", rb"\.") for each in literals)
    pattern = left + b"(?:" + escaped + b")" + rest + right
    return Rule(name, words, literals, pattern, entropy=entropy)


_SEPARATOR = rb"(?:[\s\"'+,|>]|\\[nrt\"]|[0-9]{1,6}(?:[\t:|]|\xe2\x86\x92))"
_BEGUN = (
    b"(?:"
    + b"|".join(
        b"(?<=BEGIN %s)" % kind
        for kind in (b"", b"RSA ", b"EC ", b"DSA ", b"OPENSSH ", b"ENCRYPTED ", b"PGP ")
    )
    + b")"
)
_PEM_BODY = (
    rb"(?:" + _SEPARATOR + rb"{0,40}[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,100}){0,4}"
    rb"(?:" + _SEPARATOR + rb"{0,40}+[A-Za-z0-9+/=]{20,})+"
    rb"(?:" + _SEPARATOR + rb"{0,40}+[A-Za-z0-9+/=]{1,19}(?="
    rb"(?:[\s\"'+,|>]|\\[nrt]|[0-9]{1,6}[\t:|])*-----END|\s*\Z))?"
)
_ASSIGNED = (
    rb"[\w.-]{0,24}\\?[\"'`]?\]?[ \t]{0,4}(?::=|=>|==?|:)[ \t]{0,4}(?:[bfr](?=[\"']))?"
)

_VALUE = (
    rb"(?P<quote>\\?[\"'`])?(?P<secret>[A-Za-z0-9_~+/.=-]{16,4096}+)(?![\w+/=~(\[])"
)
_PASSWORD = (
    rb"(?:(?P<quote>\\?[\"'`])(?P<quoted>[^\s\"'`\\]{4,128})(?=\\?[\"'`])"
    rb"|(?P<secret>[^\s\"'`\\,;&<>(){}\[\]]{4,128})(?![(\[\w.]))"
)

RULES: tuple[Rule, ...] = (
    Rule(
        "aws-access-key-id",
        "AWS access key",
        (b"AKIA", b"ASIA", b"ABIA", b"ACCA"),
        _LEFT
        + rb"(?:AKIA|ASIA|ABIA|ACCA)(?![A-Z2-7]{9}EXAMPLE)[A-Z2-7]{16}(?![A-Za-z0-9])",
        entropy=2.5,
    ),
    _token("github-token", "GitHub token", b"github_pat_", rb"\w{82}"),
    _token(
        "github-token",
        "GitHub token",
        (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"),
        rb"[A-Za-z0-9]{36,}",
        entropy=3.0,
    ),
    _token(
        "gitlab-token",
        "GitLab token",
        (b"glpat-", b"gldt-", b"glrt-", b"glptt-", b"glft-", b"glagent-", b"glcbt-"),
        rb"[\w.-]{20,80}",
        entropy=3.0,
    ),
    _token("gitlab-token", "GitLab token", b"GR1348941", rb"[\w-]{20}", entropy=3.0),
    _token(
        "slack-token",
        "Slack token",
        (b"xoxb-", b"xoxp-", b"xoxa-", b"xoxr-", b"xoxs-", b"xoxo-", b"xoxe-"),
        rb"[A-Za-z0-9-]{10,200}",
    ),
    _token("slack-token", "Slack token", b"xoxe.xox", rb"[bp]-\d-[A-Za-z0-9]{100,180}"),
    _token("slack-token", "Slack token", b"xapp-", rb"\d-[A-Za-z0-9]+-\d+-[a-z0-9]+"),
    Rule(
        "slack-webhook",
        "Slack webhook",
        (b"hooks.slack.com/",),
        rb"hooks\.slack\.com/(?P<secret>"
        rb"(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,80})",
    ),
    _token(
        "stripe-key",
        "Stripe key",
        (b"sk_live_", b"sk_test_", b"sk_prod_", b"rk_live_", b"rk_test_", b"rk_prod_"),
        rb"[A-Za-z0-9]{10,120}",
    ),
    _token(
        "stripe-webhook-secret",
        "Stripe webhook secret",
        b"whsec_",
        rb"[A-Za-z0-9+/]{24,80}={0,2}",
        right=_B64,
    ),
    _token("anthropic-key", "Anthropic key", b"sk-ant-", rb"[\w-]{24,200}"),
    _token(
        "openai-key",
        "OpenAI key",
        (b"sk-proj-", b"sk-svcacct-", b"sk-admin-", b"sk-or-v1-"),
        rb"[\w-]{24,200}",
        entropy=3.0,
    ),
    Rule(
        "openai-key",
        "OpenAI key",
        (b"T3BlbkFJ",),
        _LEFT + rb"sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}" + _RIGHT,
        back=23,
    ),
    _token("google-api-key", "Google API key", b"AIza", rb"[\w-]{35}", entropy=3.5),
    _token("google-oauth-secret", "Google OAuth secret", b"GOCSPX-", rb"[\w-]{28}"),
    _token("google-oauth-token", "Google OAuth token", b"ya29.", rb"[\w-]{20,512}"),
    _token("npm-token", "npm token", b"npm_", rb"[A-Za-z0-9]{36}", entropy=3.0),
    _token("pypi-token", "PyPI token", b"pypi-Ag", rb"[\w-]{50,1000}", entropy=3.0),
    _token("rubygems-token", "RubyGems token", b"rubygems_", rb"[a-f0-9]{48}"),
    _token("docker-token", "Docker token", b"dckr_pat_", rb"[\w-]{27}", entropy=3.0),
    _token("docker-token", "Docker token", b"dckr_oat_", rb"[\w-]{32}", entropy=3.0),
    _token(
        "huggingface-token",
        "Hugging Face token",
        (b"hf_", b"api_org_"),
        rb"[A-Za-z]{34}",
        entropy=3.0,
    ),
    _token(
        "sendgrid-key",
        "SendGrid key",
        b"SG.",
        rb"[\w-]{20,24}\.[\w-]{39,50}",
        entropy=3.0,
    ),
    Rule(
        "mailgun-key",
        "Mailgun key",
        (b"key-",),
        _LEFT + rb"key-[a-f0-9]{32}" + _RIGHT,
        entropy=3.0,
    ),
    Rule(
        "mailchimp-key",
        "Mailchimp key",
        (b"-us",),
        _LEFT + rb"[a-f0-9]{32}-us\d{1,2}" + _RIGHT,
        back=32,
        entropy=3.0,
    ),
    Rule(
        "twilio-key",
        "Twilio key",
        (b"SK",),
        _LEFT + rb"SK[0-9a-f]{32}(?![A-Za-z0-9+/=_-])",
        entropy=3.0,
    ),
    _token(
        "digitalocean-token",
        "DigitalOcean token",
        (b"dop_v1_", b"doo_v1_", b"dor_v1_"),
        rb"[a-f0-9]{64}",
        entropy=3.0,
    ),
    _token(
        "doppler-token",
        "Doppler token",
        (b"dp.pt.", b"dp.st.", b"dp.ct.", b"dp.sa."),
        rb"[A-Za-z0-9._-]{40,60}",
    ),
    _token(
        "databricks-token",
        "Databricks token",
        b"dapi",
        rb"[a-f0-9]{32}(?:-\d)?",
        entropy=3.0,
    ),
    _token(
        "shopify-token",
        "Shopify token",
        (b"shpat_", b"shpca_", b"shppa_", b"shpss_"),
        rb"[a-fA-F0-9]{32}",
    ),
    _token(
        "square-token",
        "Square token",
        (b"sq0atp-", b"sq0csp-", b"EAAAE"),
        rb"[\w-]{22,64}",
        entropy=3.5,
    ),
    _token("postman-key", "Postman key", b"PMAK-", rb"[a-f0-9]{24}-[a-f0-9]{34}"),
    _token("linear-key", "Linear key", b"lin_api_", rb"[A-Za-z0-9]{40}"),
    _token(
        "notion-token",
        "Notion token",
        (b"ntn_", b"secret_"),
        rb"[A-Za-z0-9]{43,50}",
        entropy=3.5,
    ),
    _token(
        "grafana-token",
        "Grafana token",
        (b"glsa_", b"glc_"),
        rb"[A-Za-z0-9+/_]{32,400}={0,3}",
        entropy=3.0,
        right=_B64,
    ),
    _token(
        "vault-token",
        "Vault token",
        (b"hvs.", b"hvb."),
        rb"[\w-]{24,300}",
        entropy=3.0,
    ),
    Rule(
        "terraform-token",
        "Terraform Cloud token",
        (b".atlasv1.",),
        _LEFT + rb"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}(?![\w=-])",
        back=14,
    ),
    _token("pulumi-token", "Pulumi token", b"pul-", rb"[a-f0-9]{40}"),
    _token(
        "planetscale-token",
        "PlanetScale token",
        (b"pscale_tkn_", b"pscale_pw_", b"pscale_oauth_"),
        rb"[\w=.-]{32,64}",
    ),
    _token("netlify-token", "Netlify token", b"nfp_", rb"[A-Za-z0-9]{36}"),
    _token(
        "fly-token",
        "Fly.io token",
        (b"fo1_", b"fm1a_", b"fm1r_", b"fm2_"),
        rb"[A-Za-z0-9+/_-]{43,1000}={0,3}",
        entropy=3.5,
        right=_B64,
    ),
    _token("heroku-key", "Heroku key", b"HRKU-", rb"[\w-]{36,70}"),
    _token(
        "cloudflare-origin-ca-key",
        "Cloudflare origin CA key",
        b"v1.0-",
        rb"[a-f0-9]{24}-[a-f0-9]{146}",
    ),
    _token(
        "dynatrace-token",
        "Dynatrace token",
        b"dt0c01.",
        rb"[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}",
    ),
    _token(
        "new-relic-key",
        "New Relic key",
        (b"NRAK-", b"NRII-", b"NRJS-"),
        rb"[A-Za-z0-9-]{19,40}",
    ),
    _token(
        "sentry-token",
        "Sentry token",
        (b"sntrys_", b"sntryu_"),
        rb"[A-Za-z0-9+/=_]{43,600}",
        entropy=3.0,
        right=_B64,
    ),
    _token("perplexity-key", "Perplexity key", b"pplx-", rb"[A-Za-z0-9]{40,56}"),
    _token("groq-key", "Groq key", b"gsk_", rb"[A-Za-z0-9]{52}", entropy=3.0),
    _token("replicate-token", "Replicate token", b"r8_", rb"[A-Za-z0-9]{37}"),
    _token("xai-key", "xAI key", b"xai-", rb"[A-Za-z0-9]{70,90}", entropy=3.0),
    _token("age-secret-key", "age secret key", b"AGE-SECRET-KEY-1", rb"[A-Z0-9]{58}"),
    _token(
        "1password-token",
        "1Password token",
        b"ops_eyJ",
        rb"[A-Za-z0-9+/_-]{200,2000}={0,3}",
        right=_B64,
    ),
    Rule(
        "telegram-token",
        "Telegram bot token",
        (b":AA",),
        rb"[\s\S]{0,2}?(?P<secret>" + _LEFT + rb"\d{8,10}:AA[\w-]{33})(?![\w-])",
        back=10,
        entropy=3.0,
    ),
    Rule(
        "discord-webhook",
        "Discord webhook",
        (b"/api/webhooks/",),
        rb"/api/webhooks/(?P<secret>\d{15,20}/[\w-]{60,70})(?![\w-])",
    ),
    Rule(
        "azure-storage-key",
        "Azure storage key",
        (b"AccountKey=", b"SharedAccessKey="),
        rb"(?:Account|SharedAccess)Key=(?P<secret>[A-Za-z0-9+/]{43,88}={0,2})",
        entropy=3.5,
    ),
    Rule(
        "azure-sas",
        "Azure SAS signature",
        (b"&sig=", b"?sig="),
        rb"[&?]sig=(?P<secret>[A-Za-z0-9%+/=]{40,120})",
        entropy=3.5,
    ),
    Rule(
        "azure-client-secret",
        "Azure client secret",
        (b"Q~",),
        _LEFT + rb"[\w~.]{3}\dQ~[\w~.-]{31,34}(?![\w~.-])",
        back=4,
        entropy=3.0,
    ),
    _token(
        "atlassian-token",
        "Atlassian token",
        (b"ATATT3", b"ATCTT3", b"ATBB"),
        rb"[\w=-]{28,240}",
        entropy=3.5,
    ),
    _token("supabase-token", "Supabase token", b"sbp_", rb"[a-f0-9]{40}"),
    Rule(
        "airtable-token",
        "Airtable token",
        (b"pat",),
        _LEFT + rb"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}(?![\w.-])",
    ),
    _token("figma-token", "Figma token", b"figd_", rb"[\w-]{40,60}", entropy=3.0),
    _token(
        "alibaba-key-id",
        "Alibaba access key",
        b"LTAI",
        rb"[A-Za-z0-9]{12,24}",
        entropy=3.0,
    ),
    _token("artifactory-key", "Artifactory key", b"AKCp", rb"[A-Za-z0-9]{69}"),
    _token(
        "circleci-token",
        "CircleCI token",
        (b"CCIPAT_", b"CCIPRJ_"),
        rb"[A-Za-z0-9]{20,24}_[a-f0-9]{40}",
    ),
    _token("buildkite-token", "Buildkite token", b"bkua_", rb"[a-f0-9]{40}"),
    _token(
        "tailscale-key", "Tailscale key", b"tskey-", rb"[a-z]+-[\w-]{16,80}", entropy=3
    ),
    _token(
        "sourcegraph-token",
        "Sourcegraph token",
        b"sgp_",
        rb"(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}",
    ),
    _token("prefect-key", "Prefect key", b"pnu_", rb"[A-Za-z0-9]{36}", entropy=3.0),
    _token("readme-key", "ReadMe key", b"rdme_", rb"[a-z0-9]{70}"),
    _token("shippo-key", "Shippo key", b"shippo_", rb"(?:live|test)_[a-fA-F0-9]{40}"),
    _token("brevo-key", "Brevo key", b"xkeysib-", rb"[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    _token("duffel-token", "Duffel token", b"duffel_", rb"(?:test|live)_[\w=-]{43}"),
    _token("easypost-key", "EasyPost key", (b"EZAK", b"EZTK"), rb"[A-Za-z0-9]{54}"),
    _token("frameio-token", "Frame.io token", b"fio-u-", rb"[\w=-]{64}"),
    _token(
        "typeform-token", "Typeform token", b"tfp_", rb"[\w.=-]{40,60}", entropy=3.0
    ),
    _token(
        "openshift-token", "OpenShift token", b"sha256~", rb"[\w-]{43}", entropy=3.0
    ),
    _token(
        "facebook-token",
        "Facebook token",
        (b"EAAM", b"EAAC", b"EAAG"),
        rb"[A-Za-z0-9]{100,400}",
        entropy=3.5,
    ),
    _token(
        "langchain-key",
        "LangSmith key",
        (b"lsv2_pt_", b"lsv2_sk_"),
        rb"[a-f0-9]{32}_[a-f0-9]{10}",
    ),
    _token("clojars-token", "Clojars token", b"CLOJARS_", rb"[a-z0-9]{60}"),
    Rule(
        "jwt",
        "JSON web token",
        (b"eyJ",),
        _LEFT + rb"(?<![+/.])eyJ[\w-]{10,}+\.eyJ[\w-]{10,}+\.[\w-]{10,}+",
        entropy=3.0,
    ),
    Rule(
        "private-key",
        "private key",
        (b"PRIVATE KEY",),
        _BEGUN + rb"PRIVATE KEY(?: BLOCK)?-----(?P<secret>" + _PEM_BODY + b")",
    ),
    Rule(
        "private-key",
        "private key",
        (b"Private-Lines: ",),
        rb"Private-Lines: \d+(?P<secret>(?:"
        + _SEPARATOR
        + rb"{1,40}+[A-Za-z0-9+/=]{20,})+)",
    ),
    Rule(
        "url-password",
        "password in a URL",
        (b"://",),
        rb"://[^\s:@/\"'<>`\\]{0,128}+:(?P<secret>[^\s@/\"'<>`\\]{3,256}+)@"
        rb"(?=[A-Za-z0-9\[_-])",
        check="password",
    ),
    Rule(
        "authorization",
        "authorization header",
        (b"authorization",),
        rb"(?i:authorization)\\?[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\?[\"']?"
        rb"(?i:basic|bearer|token|bot)[ \t]{1,4}(?P<secret>[\w.~+/=-]{8,4096})",
        folded=True,
        check="password",
    ),
    Rule(
        "curl-user",
        "password given to curl",
        (b"curl ",),
        rb"curl [^\n]{0,300}?(?:-u|--user)[ =][\"']?[\w.@+-]{1,64}:"
        rb"(?P<secret>[^\s\"']{3,128})",
        check="password",
    ),
    Rule(
        "password",
        "password",
        (b"passw", b"passphrase", b"pwd"),
        rb"(?i:passw(?:or)?d|passphrase|pwd)" + _ASSIGNED + _PASSWORD,
        folded=True,
        check="password",
    ),
    Rule(
        "generic-secret",
        "secret, key or token",
        (
            b"secret",
            b"token",
            b"credential",
            b"api_key",
            b"api-key",
            b"apikey",
            b"access_key",
            b"access-key",
            b"accesskey",
            b"auth_key",
            b"authkey",
            b"private_key",
            b"privatekey",
            b"encryption_key",
            b"signing_key",
            b"license_key",
            b"master_key",
            b"account_key",
            b"storage_key",
        ),
        rb"(?i:secret|token|credential|(?:api|access|auth|private|encryption|signing"
        rb"|license|master|account|storage)[_-]?key)" + _ASSIGNED + _VALUE,
        folded=True,
        entropy=3.3,
        check="value",
    ),
)
"""All rules; a literal of one may be the beginning of another's."""
