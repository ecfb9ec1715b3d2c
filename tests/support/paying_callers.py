"""A process whose threads each ask a model once, as jobs of one tenant do; each says whether it was paid."""

import os
import sys
import threading
from decimal import Decimal
from uuid import UUID

from app.db.database import Database
from app.db.engine import create_app_engine
from app.ids import JobId, SpaceId, TenantId
from app.llm.client import ModelClient
from app.llm.errors import BudgetExhausted, TokensExhausted
from app.llm.model_calls.asker import Asker, estimate_token_bounds
from app.llm.model_calls.ledger import DatabaseAnswerStore
from app.llm.prompts.entities import build_prompt, render_passage
from app.settings import Settings

PRICES = {"double": (1_000.0, 1_000.0)}
PROMPT = build_prompt(["Organization"])


def passage(number: int) -> str:
    """One of 100 passages that cost the same."""
    return render_passage(f"Acme {number:02} owns Globex {number:02}.", title="")


def budget_for(client: ModelClient, calls: int) -> Decimal:
    """US dollars that so many calls about one of them may reserve; the fence varies by a few tokens."""
    one = client.compute_cost_usd(
        *estimate_token_bounds(PROMPT, PROMPT.build_messages([passage(0)]), [passage(0)])
    )
    return one * (calls + Decimal("0.5"))


def make_client(base_url: str) -> ModelClient:
    """A client that tries once."""
    return ModelClient(
        api_key="unused", base_url=base_url, model="double", prices=PRICES, attempts=1, timeout=60
    )


def ask(client: ModelClient, answers: DatabaseAnswerStore, tenant_id: TenantId, number: int) -> None:
    """Ask about one passage. Raises BudgetExhausted."""
    Asker(client, answers, tenant_id).ask(PROMPT, [passage(number)])


def say(word: str) -> None:
    """A line in one piece: threads that print at once would mix theirs."""
    os.write(1, f"{word}\n".encode())


def main(url: str, base_url: str, tenant: str, space: str, job: str, *numbers: str) -> None:
    """Ask about so many passages at once; a line for each."""
    settings = Settings(database_url=url, pool_size=len(numbers) + 1)
    database = Database(create_app_engine(url, settings), settings)
    tenant_id, space_id = TenantId(UUID(tenant)), SpaceId(UUID(space))
    job_id = JobId(UUID(job)) if job else None
    client = make_client(base_url)

    def call(number: int) -> None:
        answers = DatabaseAnswerStore(database, tenant_id=tenant_id, space_id=space_id, job_id=job_id)
        try:
            ask(client, answers, tenant_id, number)
            say("paid")
        except (BudgetExhausted, TokensExhausted):
            say("exhausted")

    threads = [threading.Thread(target=call, args=(int(number),)) for number in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
