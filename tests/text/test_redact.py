"""Secrets go, talk stays.  The secrets are put together here so that no scanner takes them for real ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_memory.text.redact import redact

ANY = st.text(st.characters(exclude_categories=()), max_size=200)
MIXED = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d"  # 40 letters and digits
PEM = "-----BEGIN RSA " + "PRIVATE KEY-----"
SECRETS = {
    "openai-key": ["sk-" + MIXED, "sk-proj-" + MIXED + "_" + MIXED],
    "anthropic-key": ["sk-ant-" + "api03-" + MIXED],
    "github-token": ["ghp_" + MIXED[:36], "gho_" + MIXED[:36], "github_pat_" + MIXED + "_" + MIXED],
    "gitlab-token": ["glpat-" + MIXED[:20]],
    "aws-key": ["AKIA" + "Q3EGU7RLKJ2MX5PA"],
    "google-key": ["AIza" + MIXED[:35]],
    "slack-token": ["xoxb-" + "123456789012-" + MIXED[:24]],
    "stripe-key": ["sk_live_" + MIXED[:24], "rk_live_" + MIXED[:24]],
    "sendgrid-key": ["SG." + MIXED[:22] + "." + MIXED + "abc"],
    "twilio-key": ["SK" + "0123456789abcdef" * 2],
    "npm-token": ["npm_" + MIXED[:36]],
    "pypi-token": ["pypi-" + "AgEIcHlwaS5vcmc" + MIXED],
    "huggingface-token": ["hf_" + MIXED[:34]],
    "telegram-token": ["123456789:AA" + MIXED[:33], "110201543:AA" + MIXED[:32]],
    "google-token": ["ya29." + "a0" + MIXED, "1//0" + MIXED],
    "discord-token": ["M" + MIXED[:23] + "." + "GzX9aQ" + "." + MIXED[:30]],
    "api-key": ["gsk_" + MIXED, "dop_v1_" + "0123456789abcdef" * 4],
    "jwt": ["eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0In0." + MIXED],
    "card": [
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "378282246310005",
        "3782 822463 10005",
        "6011111111111117",
        "4111.1111.1111.1111",
        "4111\u00a01111\u00a01111\u00a01111",
    ],
    "iban": ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "NO93 8601 1117 947"],
    "private-key": [
        f"{PEM}\n{MIXED}\n{MIXED}==\n-----END RSA " + "PRIVATE KEY-----",
        f"{PEM}\n{MIXED}\n{MIXED}",
        "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\n" + MIXED + "\nPrivate-MAC: " + "0123456789abcdef",
    ],
}
WITH_SECRET = st.sampled_from([secret for secrets in SECRETS.values() for secret in secrets])


@pytest.mark.parametrize(
    ("kind", "secret"), [(kind, secret) for kind, secrets in SECRETS.items() for secret in secrets]
)
def test_a_shared_secret_is_redacted(kind: str, secret: str) -> None:
    assert redact(f"Here it is: {secret}, keep it") == (f"Here it is: [redacted:{kind}], keep it", (kind,))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("password: hunter2!", "password: [redacted:password]"),
        ("my password is hunter22, ok", "my password is [redacted:password], ok"),
        ('PASSWD="s3cr3t-thing"', 'PASSWD="[redacted:password]"'),
        ("DB_PASSWORD=tr0ub4dor", "DB_PASSWORD=[redacted:password]"),
        ("Mein Passwort ist geheim99", "Mein Passwort ist [redacted:password]"),
        (f"api_key = '{MIXED}'", "api_key = '[redacted:credential]'"),
        (f'"access_token": "{MIXED}"', '"access_token": "[redacted:credential]"'),
        (f"token: {MIXED}", "token: [redacted:credential]"),
        (f"aws_secret_access_key = {MIXED[:20]}/{MIXED[:19]}", "aws_secret_access_key = [redacted:aws-secret]"),
        (f"Authorization: Bearer {MIXED}", "Authorization: Bearer [redacted:bearer-token]"),
        ("the wifi password is correct-horse-battery", "the wifi password is [redacted:password]"),
        ("I changed the wifi password to harbour-77.", "I changed the wifi password to [redacted:password]."),
        (
            "changed my password from old-11pw to new-22pw",
            "changed my password from [redacted:password] to [redacted:password]",
        ),
        ("the password for the guest wifi is Sommer2024!", "the password for the guest wifi is [redacted:password]"),
        ("The password's now hunter22", "The password's now [redacted:password]"),
        ("My password was changed to blue_77x", "My password was changed to [redacted:password]"),
        ("The wifi password? It's Sunny-Day-88, I think", "The wifi password? It's [redacted:password], I think"),
        ("card id 4111111111111111", "card id [redacted:card]"),
        ("Fluffy_99 is my password", "[redacted:password] is my password"),
        ("use Fluffy_99 as the wifi password", "use [redacted:password] as the wifi password"),
        ("password is 123456", "password is [redacted:password]"),
        ("Password: MyDogRex", "Password: [redacted:password]"),
        ("mysql --password hunter22 db", "mysql --password [redacted:password] db"),
        ("curl -u admin:Sup3rPass https://x.y", "curl -u admin:[redacted:basic-auth] https://x.y"),
        ("curl -s --user 'admin:letmein' x.y", "curl -s --user 'admin:[redacted:basic-auth]' x.y"),
        ("Authorization: Basic YWRtaW46aHVudGVyMg==", "Authorization: Basic [redacted:basic-auth]"),
        (
            f"https://api.telegram.org/bot123456789:AA{MIXED[:33]}/x",
            "https://api.telegram.org/bot[redacted:telegram-token]/x",
        ),
        (
            f"https://discord.com/api/webhooks/123456789012345678/{MIXED}",
            "https://discord.com/api/webhooks/[redacted:discord-webhook]",
        ),
        ("I paid with 4111111111111111", "I paid with [redacted:card]"),
        ("postgres://ada:pa55@db.example/x", "postgres://ada:[redacted:url-password]@db.example/x"),
    ],
)
def test_an_assignment_keeps_its_name_and_loses_its_value(text: str, shown: str) -> None:
    assert redact(text)[0] == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I forgot my password again, and the password is long. Password: required",
        "The secret is patience. Token: appreciated!",
        "hashed_password = generate_password_hash(password)",
        "password = request.form['password']",
        "The password is wrong, my password is the same as before, the password is case-sensitive",
        "The password is up-to-date; the password is hard-to-guess",
        "The password is 16-character, is base64-encoded, is sha256-hashed. SHA-256 for the password hashing",
        "pwd: /home/me2/projects3, pwd: C:\\Users\\me2, cwd and pwd=~/work2",
        "password = userPassword; password: passwordHash, password=$DB_PASSWORD1 password=******** pass = 100.00%",
        "the password to server01 is lost; I sent the password to ada2@example.com; 1Password is my password manager",
        "changed the password to unblock Windows11 users",
        "The pass is 1800-metres high and my boarding pass is B12-345",
        "order 6011000990139424 parcel, tracking number: 6011000990139424, invoice #4111111111111111",
        "case 4111111111111111, ticket id=4111111111111111, order_id: 4111111111111111",
        "6011000990139424 is my order number; I changed the password in Windows11",
        "docker run -u 1000:1000 image; curl -u me:$SECRET x.y; Authorization: Basic authentication",
        "Call me at +1 415 555 2671 or 0049 30 1234567890",
        "order 4111111111111112, id 1700000000000, uuid 123e4567-e89b-12d3-a456-426614174000",
        "on 2023-05-08 10:30:00, 2023 4000 1234 5678",
        "task-management-with-several-hyphens sk-learn-and-other-libraries-of-note",
        "https://example.com:8080/path@home and ada@example.com",
        "The bearer of good news; Basic information about things",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "DE is Germany, GB82 is a road",
        "-----BEGIN CERTIFICATE-----",
        "0000 0000 0000 0000",
    ],
)
def test_talk_passes_untouched(text: str) -> None:
    assert redact(text) == (text, ())


def test_a_truncated_private_key_does_not_take_the_talk_after_it() -> None:
    assert redact(f"{PEM}\n{MIXED}\nThis is what I meant.")[0] == "[redacted:private-key]\nThis is what I meant."


def test_all_kinds_are_told_once_and_sorted() -> None:
    text = "4111 1111 1111 1111 and 4111 1111 1111 1111, password: hunter22"
    shown = "[redacted:card] and [redacted:card], password: [redacted:password]"
    assert redact(text) == (shown, ("card", "password"))


@pytest.mark.parametrize(
    "unit",
    ["a", "-", "4", "4 ", "aB3/", "://a:", "eyJ", "sk-", "token=", "password is ", "password for ", "changed ",
     "set password to ", "a1b2c3 is my ", "curl -u a:", "order 4",
     "basic ", "4111.", "DE89 ",
     "-----BEGIN PRIVATE KEY-----\n", "PuTTY-User-Key-File-2: ", "\0", "\ud800", "[redacted:", "AKIA", "hf_a1-"],
)  # fmt: skip
def test_long_runs_of_anything_take_linear_time(unit: str) -> None:
    redact(unit * (200_000 // len(unit)))


@given(st.lists(ANY | WITH_SECRET | st.sampled_from(["password: ", "token=", "[redacted:card]", "://a:b@", "-", " "])))
def test_redacting_again_changes_nothing(pieces: list[str]) -> None:
    once, _ = redact("".join(pieces))
    assert redact(once) == (once, ())


@given(
    WITH_SECRET,
    st.sampled_from(["", " ", "\n", "(", '"', "so: ", "日本"]),
    st.sampled_from(["", " ", "\n", ")", '"', ", then"]),
)
def test_a_secret_never_survives_its_surroundings(secret: str, before: str, after: str) -> None:
    assert secret not in redact(before + secret + after)[0]
