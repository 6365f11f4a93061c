"""Made credentials in the formats of many services, and logs without any.

All of them are drawn at random from a seed, so that none is written down anywhere.
"""

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Iterator

WORD = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits
HEX = "0123456789abcdef"
URL = WORD + "-_"
B64 = WORD + "+/"
BASE32 = string.ascii_uppercase + "234567"


class Maker:
    """Draws credentials."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def of(self, alphabet: str, length: int) -> str:
        """So many letters, the last and the first never a dash."""
        inner = "".join(self.random.choices(alphabet, k=length - 2))
        ends = self.random.choices([c for c in alphabet if c.isalnum()], k=2)
        return ends[0] + inner + ends[1]

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def pem(self, kind: str = "RSA ", lines: int = 25, newline: str = "\n") -> str:
        """A private key block whose lines hold 64 chars, the last one fewer."""
        body = [self.of(B64, 64) for _ in range(lines)] + [self.of(B64, 14) + "=="]
        name = f"{kind}PRIVATE KEY"
        return newline.join([f"-----BEGIN {name}-----", *body, f"-----END {name}-----"])

    def jwt(self) -> str:
        def part(data: bytes) -> str:
            return base64.urlsafe_b64encode(data).decode().rstrip("=")

        body = f'{{"sub":"{self.of(HEX, 24)}","iat":1700000000,"scope":"all"}}'
        return ".".join(
            (
                part(b'{"alg":"HS256","typ":"JWT"}'),
                part(body.encode()),
                self.of(URL, 43),
            )
        )

    def tokens(self) -> dict[str, str]:
        """One credential of each service, that is known by its own shape."""
        of = self.of
        return {
            "aws": "AKIA" + of(BASE32, 16),
            "aws-session": "ASIA" + of(BASE32, 16),
            "github-classic": "ghp_" + of(WORD, 36),
            "github-server": "ghs_" + of(WORD, 36),
            "github-fine": "github_pat_" + of(WORD, 22) + "_" + of(WORD, 59),
            "gitlab": "glpat-" + of(URL, 20),
            "gitlab-runner": "glrt-" + of(URL, 20),
            "slack-bot": f"xoxb-{of('123456789', 12)}-{of('123456789', 12)}-"
            + of(WORD, 24),
            "slack-user": f"xoxp-{of('123456789', 12)}-{of('123456789', 12)}-"
            f"{of('123456789', 12)}-{of(HEX, 32)}",
            "slack-app": f"xapp-1-A{of(BASE32, 10)}-{of('123456789', 13)}-"
            + of(HEX, 64),
            "stripe": "sk_live_" + of(WORD, 24),
            "stripe-restricted": "rk_live_" + of(WORD, 24),
            "stripe-webhook": "whsec_" + of(WORD, 32),
            "anthropic": "sk-ant-api03-" + of(URL, 93) + "AA",
            "openai-project": "sk-proj-" + of(URL, 74) + "T3BlbkFJ" + of(URL, 74),
            "openai-old": "sk-" + of(WORD, 20) + "T3BlbkFJ" + of(WORD, 20),
            "google": "AIza" + of(URL, 35),
            "google-oauth": "GOCSPX-" + of(URL, 28),
            "google-access": "ya29." + of(URL, 120),
            "npm": "npm_" + of(WORD, 36),
            "pypi": "pypi-AgEIcHlwaS5vcmc" + of(URL, 120),
            "rubygems": "rubygems_" + of(HEX, 48),
            "docker": "dckr_pat_" + of(URL, 27),
            "huggingface": "hf_" + of(string.ascii_letters, 34),
            "sendgrid": f"SG.{of(URL, 22)}.{of(URL, 43)}",
            "mailgun": "key-" + of(HEX, 32),
            "mailchimp": of(HEX, 32) + "-us12",
            "twilio": "SK" + of(HEX, 32),
            "digitalocean": "dop_v1_" + of(HEX, 64),
            "doppler": "dp.pt." + of(WORD, 43),
            "databricks": "dapi" + of(HEX, 32),
            "shopify": "shpat_" + of(HEX, 32),
            "square": "sq0atp-" + of(URL, 22),
            "postman": f"PMAK-{of(HEX, 24)}-{of(HEX, 34)}",
            "linear": "lin_api_" + of(WORD, 40),
            "notion": "ntn_" + of("123456789", 11) + of(WORD, 35),
            "grafana": "glsa_" + of(WORD, 32) + "_" + of(HEX, 8),
            "vault": "hvs." + of(URL, 95),
            "terraform": of(WORD, 14) + ".atlasv1." + of(URL, 66),
            "pulumi": "pul-" + of(HEX, 40),
            "planetscale": "pscale_tkn_" + of(URL, 43),
            "netlify": "nfp_" + of(WORD, 36),
            "fly": "fm2_" + of(B64, 160),
            "dynatrace": f"dt0c01.{of(WORD, 24)}.{of(WORD, 64)}",
            "new-relic": "NRAK-" + of(BASE32, 27),
            "sentry": "sntryu_" + of(HEX, 64),
            "perplexity": "pplx-" + of(WORD, 48),
            "groq": "gsk_" + of(WORD, 52),
            "replicate": "r8_" + of(WORD, 37),
            "age": "AGE-SECRET-KEY-1" + of(BASE32, 58),
            "telegram": f"{of('123456789', 9)}:AA{of(URL, 33)}",
            "atlassian": "ATATT3" + of(URL, 186),
            "supabase": "sbp_" + of(HEX, 40),
            "airtable": f"pat{of(WORD, 14)}.{of(HEX, 64)}",
            "figma": "figd_" + of(URL, 43),
            "alibaba": "LTAI" + of(WORD, 20),
            "artifactory": "AKCp" + of(WORD, 69),
            "tailscale": f"tskey-auth-{of(WORD, 12)}CNTRL-{of(WORD, 32)}",
            "brevo": f"xkeysib-{of(HEX, 64)}-{of(WORD, 16)}",
            "azure-client": of(WORD, 3) + "8Q~" + of(WORD, 34),
            "jwt": self.jwt(),
        }

    def labelled(self) -> list[tuple[str, str]]:
        """Lines, and the credential in each that what stands before it tells of."""
        of = self.of
        word = of(WORD, 10) + "!" + of(WORD, 3)
        return [
            ("DB_PASSWORD={}", word),
            ("DATABASE_URL=postgres://app:{}@db.internal:5432/app", word),
            ("mongodb+srv://root:{}@cluster0.example.net/?w=1", of(WORD, 16)),
            ("redis://:{}@cache:6379/0", of(WORD, 20)),
            ("amqp://guest:{}@rabbit:5672", of(WORD, 12)),
            ("aws_secret_access_key = {}", of(WORD + "/+", 40)),
            ('"client_secret": "{}",', of(URL, 40)),
            ("export API_KEY='{}'", of(WORD, 32)),
            ("Authorization: Bearer {}", of(URL, 60)),
            ("authorization: Basic {}", base64.b64encode(word.encode()).decode()),
            ('{{"password": "{}"}}', word),
            (r"{{\"api_key\": \"{}\"}}", of(WORD, 32)),
            ("AccountKey={};EndpointSuffix=core.windows.net", of(B64, 86) + "=="),
            ("X-Api-Key: {}", of(WORD, 40)),
            ("curl -s -u deploy:{} https://ci.internal/job", of(WORD, 14)),
            ("SECRET_KEY_BASE={}", of(HEX, 64)),
            ("//registry.npmjs.org/:_authToken={}", of(HEX, 8) + "-" + of(WORD, 24)),
            ("SESSION_TOKEN: {}", of(B64, 64)),
            ("password = {}", word),
            ("encryption_key => '{}'", of(WORD, 31) + "7"),
        ]


def quiet_lines(seed: int, count: int) -> Iterator[str]:
    """Ordinary lines of logs, builds, listings and pages: none holds a credential."""
    made = Maker(seed)
    of, pick = made.of, made.random
    for _ in range(count):
        number = pick.randrange(10_000)
        yield pick.choice(
            (
                f"commit {of(HEX, 40)}",
                f"{of(HEX, 7)} Fix token handling in the parser (#{number})",
                f"index {of(HEX, 7)}..{of(HEX, 7)} 100644",
                f"npm warn deprecated glob@7.2.{number % 9}: no longer supported",
                f'    "integrity": "sha512-{of(B64, 86)}==",',
                f"added {number} packages, and audited {number + 3} packages in 4s",
                f"tests/test_auth.py::test_password_reset[{number}] PASSED [ 12%]",
                f"E       AssertionError: assert 'token' in response_{number}",
                f"   Compiling secrecy v0.8.{number % 9}",
                f"error[E0425]: cannot find value `api_key` in this scope: {number}",
                f"request_id={made.uuid()} status=200 took={number}ms",
                f"2026-03-0{1 + number % 9}T02:11:09Z INFO tokens=1{number} cost=0.02",
                f'{{"input_tokens": {number}, "output_tokens": {number * 3}}}',
                f"data:image/png;base64,{of(B64, 300)}",
                f"function t(e,n){{var r=n.token||e.secret;return r?r.key:{number}}}",
                f'!function(){{var e="password",t={{type:"password",id:{number}}}}}();',
                f"sha256:{of(HEX, 64)}: Pull complete",
                f'  File "/srv/app/auth/token_store.py", line {number}, in get_token',
                "password: string;",
                "def login(user, password=None, token: str = ''):",
                "    self.password = settings.DATABASE_PASSWORD",
                "Enter password: ",
                "password=********",
                "PASSWORD=${DB_PASSWORD}",
                "api_key: <your-api-key>",
                "token = get_token(request)",
                "const secret = process.env.SESSION_SECRET;",
                f"see https://example.org/docs/{number}:8080/path@v1.2.{number % 7}",
                f"git clone https://github.com/acme/app-{number}.git",
                f"docker run --user 1000:1000 -p {number}:80 app@sha256:{of(HEX, 64)}",
                f"ssh-ed25519 {of(B64, 68)} deploy@host{number}",
                f"SHA256:{of(B64, 43)} /home/dev/.ssh/id_ed25519.pub",
                f"-rw-r--r-- 1 dev dev {number} Mar  1 02:11 secrets.example.yaml",
                f"key: {of(HEX, 32)}  # cache key of step {number}",
                f"restored cache from key: node-modules-linux-{of(HEX, 64)}",
                f"x86_64-unknown-linux-gnu/release/deps/tokenizer-{of(HEX, 16)}.rlib",
                f"ERROR: invalid credentials for user {number} (token expired)",
                f'uuid {made.uuid()} etag W/"{of(HEX, 32)}"',
                f"secret/data/app/config version {number}",
                f"-----BEGIN CERTIFICATE-----\n{of(B64, 64)}\n-----END CERTIFICATE",
                "no password is required; the token was not found",
                f"Downloaded tokenizers-0.15.{number % 9}-cp311-manylinux_2_17.whl",
                f"token_type: bearer expires_in: {number}",
                f"secretKeyRef: {{name: app-secrets-v{number}, key: db-password}}",
                f"passwords_checked={number} tokens_total={number}",
                f"access_key_id_length: {number}",
            )
        )
