# Which of two groups wrote a message: word counts, tf-idf, classifiers; the messages are made here.
# %%
import random
import re
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
# %%
random.seed(2)
vocabulary = ["".join(random.choices("abcdefghijklmnoprstu", k=random.randint(3, 8))) for _ in range(3000)]
def message(group):
    words = random.choices(vocabulary[:2000] if group else vocabulary[1000:], k=14)
    return " ".join(words) + random.choice(["", " http://t.co/" + words[0], " @" + words[1], "!!!"])
# %%
groups = [random.randrange(2) for _ in range(8000)]
texts = [message(group) for group in groups]
# %%
df = pd.DataFrame({"text": texts, "group": groups})
# %%
def clean(text):
    return re.sub(r"http\S+|@\w+|[^a-z ]", "", text.lower()).strip()
# %%
df["clean"] = df.text.map(clean)
# %%
df["words"] = df.clean.str.split().str.len()
# %%
fit, held = train_test_split(df, test_size=0.25, random_state=0)
# %%
counts = CountVectorizer(min_df=2)
X = counts.fit_transform(fit.clean)
# %%
bayes = MultinomialNB().fit(X, fit.group)
# %%
right = {"bayes": bayes.score(counts.transform(held.clean), held.group)}
# %%
tfidf = TfidfVectorizer(ngram_range=(1, 2), min_df=2)
Y = tfidf.fit_transform(fit.clean)
# %%
linear = LogisticRegression(max_iter=60).fit(Y, fit.group)
# %%
right["linear"] = linear.score(tfidf.transform(held.clean), held.group)
# %%
pipeline = make_pipeline(TfidfVectorizer(), SGDClassifier(random_state=0)).fit(fit.clean, fit.group)
# %%
right["pipeline"] = pipeline.score(held.clean, held.group)
# %%
names = np.array(tfidf.get_feature_names_out())
top = names[np.argsort(linear.coef_[0])[-20:]]
# %%
wrong = held[linear.predict(tfidf.transform(held.clean)) != held.group]
# %%
df = df.drop(columns="words")
