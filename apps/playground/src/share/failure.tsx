/** Why a short link could not be made or deleted. */
export function Failure({ message }: { message: string }) {
  return (
    <p role="alert" className="mt-2 rounded-md bg-danger-soft px-3 py-2 wrap-anywhere text-danger">
      {message}
    </p>
  );
}
