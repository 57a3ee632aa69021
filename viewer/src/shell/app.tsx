export function App() {
  return <main>Warpsight</main>;
}
