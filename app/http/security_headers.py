"""The security headers of the pages: those of the dashboard, and that of the API reference.

Both have one content security policy, except for where forms may be sent and images come from: scripts and
files come only from this server, and no page may be framed.
"""


def _build_content_security_policy(*, images: str, forms: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            f"img-src 'self' {images}",
            "font-src 'self'",
            "connect-src 'self'",
            f"form-action {forms}",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


SECURITY_HEADERS = {
    "content-security-policy": _build_content_security_policy(images="data: blob:", forms="'self'"),
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
"""The headers of every response of the dashboard."""
REFERENCE_HEADERS = {
    # `data:` is for the icons in the style sheet.
    "content-security-policy": _build_content_security_policy(images="data:", forms="'none'"),
    "referrer-policy": "no-referrer",
}
"""The headers of the page with the API reference, which has no forms and may be cached."""
