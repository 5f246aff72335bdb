import tseslint from "typescript-eslint";

export default tseslint.config(
	{ ignores: ["dist", "e2e", "eslint.config.mjs"] },
	...tseslint.configs.strictTypeChecked,
	...tseslint.configs.stylisticTypeChecked,
	{ languageOptions: { parserOptions: { projectService: true } } },
);
