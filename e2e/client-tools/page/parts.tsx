/** A tool's question to the guest. */
export type Question = {
  title: string;
  options: readonly string[];
  onAnswer: (option: string) => void;
  onRefuse: () => void;
};

/** Shows the question of a waiting call, with its possible answers. */
export function Card({ title, options, onAnswer, onRefuse }: Question) {
  return (
    <section aria-label={title} className="card">
      <h2>{title}</h2>
      {options.map((option) => (
        <button key={option} type="button" onClick={() => onAnswer(option)}>
          {option}
        </button>
      ))}
      <button type="button" className="quiet" onClick={onRefuse}>
        Rather not
      </button>
    </section>
  );
}

const wishes = ['Find a room', 'Pay the deposit', 'Confirm my stay'];

/** The questions that the page suggests. */
export function Wishes({ isBusy, onWish }: { isBusy: boolean; onWish: (wish: string) => void }) {
  return (
    <nav>
      {wishes.map((wish) => (
        <button key={wish} type="button" disabled={isBusy} onClick={() => onWish(wish)}>
          {wish}
        </button>
      ))}
    </nav>
  );
}
