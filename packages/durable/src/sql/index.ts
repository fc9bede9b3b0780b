export { createSqlStore, type SqlClient } from './sql-store.ts';
